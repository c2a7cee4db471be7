"""Makes the weights that the packages carry. Not part of the product: needs Debian's `apt-get` and the network."""
