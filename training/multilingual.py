"""Make the phrase tables of `connectors.models.multilingual` anew: `python -m training.multilingual --work FOLDER`.

Fetches about 400 MB of Debian packages into the folder (1.6 GB unpacked), learns one table a language (about two
minutes each), writes `connectors/models/phrases/*.tsv.gz` and prints the hashes to pin in
`connectors/models/weights.py`.
The same packages give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from pathlib import Path

from connectors.models.multilingual import FOLDER, format_table
from connectors.models.weights import sha256_of
from training.corpus import LANGUAGES, fetch, pairs
from training.lexicon import bitext, phrase_table


def main() -> None:
    arguments = _arguments()
    fetch(arguments.work)
    everything = pairs(arguments.work, arguments.pairs)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for lang in arguments.languages:
        started = time.perf_counter()
        table = phrase_table(bitext(((foreign, english) for own, foreign, english in everything if own == lang), lang))
        file = arguments.out / f"{lang}.tsv.gz"
        file.write_bytes(gzip.compress(format_table(table).encode(), 9, mtime=0))
        seconds = time.perf_counter() - started
        sys.stdout.write(f"{file.name} {len(table)} phrases, {seconds:.0f} s\n    {sha256_of([file])}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for the packages")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for the tables")
    parser.add_argument("--pairs", type=Path, nargs="*", default=[], help="more sentence pairs: JSONL, keys en, de ...")
    parser.add_argument("--languages", nargs="*", default=list(LANGUAGES), help="which tables to make")
    return parser.parse_args()


if __name__ == "__main__":
    main()
