// Citedesk's pages work without this script; it makes them quicker: keys, dialogs, evidence beside the sentence, news.

const NEWS_EVERY_MS = 15_000;
const STATUS_EVERY_MS = 2_500;
const AGES_EVERY_MS = 30_000;

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);

document.documentElement.classList.add("scripted");

// ---------------------------------------------------------------- times in the viewer's zone

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function age(moment) {
  const seconds = (Date.now() - moment) / 1000;
  for (const [unitSeconds, unit] of [[86_400, "d"], [3_600, "h"], [60, "min"]]) {
    if (seconds >= unitSeconds) return `${Math.floor(seconds / unitSeconds)} ${unit} ago`;
  }
  return "just now";
}

function localiseTimes(root = document) {
  for (const element of all("time[data-time]", root)) {
    const moment = new Date(element.dateTime);
    element.title = exact.format(moment);
    element.textContent = element.dataset.time === "age" ? age(moment) : short.format(moment);
  }
}

// ---------------------------------------------------------------- dialogs

function openDialog(dialog) {
  if (dialog.open) dialog.close();
  dialog.showModal();
  // A dialog starts at its first choice, so that its keys work at once; letters are never typed into a field by mistake.
  (one("input[type=radio], button", dialog) ?? dialog).focus();
}

function setUpDialogs() {
  for (const opener of all("[data-opens]")) {
    opener.hidden = false;
    opener.addEventListener("click", (event) => {
      event.preventDefault();
      openDialog(document.getElementById(opener.dataset.opens));
    });
  }
  for (const closer of all("[data-closes]")) {
    closer.hidden = false;
    closer.addEventListener("click", () => closer.closest("dialog").close());
  }
  for (const dialog of all("dialog[open]")) openDialog(dialog);
  for (const field of all("[data-copies]")) {
    field.form.addEventListener("submit", () => {
      const source = document.getElementById(field.dataset.copies);
      if (source) field.value = source.value;
    });
  }
}

// ---------------------------------------------------------------- keys

const isTyping = (target) => target.closest("textarea, select, input:not([type=radio], [type=checkbox])") !== null;

/** Letter keys act on whatever says `data-key`: within an open dialog only on what is in it. */
function pressKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const dialog = one("dialog[open]");
  const target = all("[data-key]", dialog ?? document).find(
    (element) => element.dataset.key === event.key && (dialog || !element.closest("dialog")),
  );
  if (target) {
    event.preventDefault();
    if (target.matches("input, textarea")) target.focus();
    if (!target.matches("input[type=search], textarea")) target.click();
  } else if (!dialog && (event.key === "j" || event.key === "k")) {
    moveInRows(event.key === "j" ? 1 : -1);
  }
}

function moveInRows(step) {
  const links = all("[data-row-link]");
  if (!links.length) return;
  const here = links.findIndex((link) => link.closest("[data-row]").contains(document.activeElement));
  const next = here < 0 ? 0 : Math.min(Math.max(here + step, 0), links.length - 1);
  links[next].focus();
  links[next].closest("[data-row]").scrollIntoView({ block: "nearest" });
}

// ---------------------------------------------------------------- news about the queue

async function fetchJson(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

function setUpNews() {
  const queue = one("[data-news]");
  const button = one("[data-news-button]");
  if (!queue || !button) return;
  const look = async () => {
    if (document.hidden) return;
    try {
      const news = await fetchJson(queue.dataset.news);
      if (news.count) button.textContent = `Show ${news.text}`;
      button.hidden = !news.count;
    } catch (error) {
      console.warn("The queue could not be asked for news; it is asked again.", error);
    }
  };
  setInterval(look, NEWS_EVERY_MS);
  document.addEventListener("visibilitychange", look);
}

// ---------------------------------------------------------------- evidence beside the sentence

function setUpEvidence() {
  const passages = one(".passages");
  if (!passages) return;
  const sentences = all("[data-sentence]");

  function show(marker, sentence) {
    passages.classList.add("focused");
    for (const passage of all("[data-passage]", passages)) {
      passage.classList.toggle("active", passage.dataset.passage === marker);
    }
    for (const link of all("[data-marker]")) {
      if (link.closest(".evidence-tabs")) link.setAttribute("aria-current", String(link.dataset.marker === marker));
    }
    for (const other of sentences) {
      const rests = other.dataset.markers?.split(" ").includes(marker) ?? false;
      other.classList.toggle("active", other === sentence);
      other.classList.toggle("resting", !sentence && rests);
    }
    const number = sentence?.dataset.sentence;
    for (const mark of all("mark", passages)) {
      mark.classList.toggle("active", mark.dataset.sentences.split(" ").includes(number));
    }
    const first = one(".passage.active mark.active, .passage.active mark", passages);
    const room = passages.clientHeight;
    if (first && passages.scrollHeight > room) passages.scrollTop = first.offsetTop - room / 3;
    else passages.scrollTop = 0;
  }

  const showSentence = (sentence, marker) => show(marker ?? sentence.dataset.markers.split(" ")[0], sentence);
  for (const sentence of sentences.filter((candidate) => candidate.dataset.markers)) {
    sentence.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && showSentence(sentence));
    sentence.addEventListener("click", (event) => event.target.closest("a") ?? showSentence(sentence));
    for (const link of all("[data-marker]", sentence)) {
      link.addEventListener("focus", () => showSentence(sentence, link.dataset.marker));
    }
  }
  for (const link of all("[data-marker]")) {
    link.addEventListener("click", (event) => {
      const passage = document.getElementById(`passage-${link.dataset.marker}`);
      if (!passage) return;
      event.preventDefault();
      const sentence = link.closest("[data-sentence]");
      show(link.dataset.marker, sentence);
      passage.focus({ preventScroll: true });
      passage.closest(".evidence").scrollIntoView({ block: "nearest" });
    });
  }
  for (const passage of all("[data-passage]", passages)) {
    passage.addEventListener("focusin", (event) => event.target === passage || show(passage.dataset.passage, null));
    passage.addEventListener("click", (event) => event.target.closest("a") ?? show(passage.dataset.passage, null));
  }
  for (const link of all("[data-goto-sentence]")) {
    link.addEventListener("click", (event) => {
      const sentence = document.getElementById(`sentence-${link.dataset.gotoSentence}`);
      if (!sentence) return;
      event.preventDefault();
      sentence.scrollIntoView({ block: "center" });
      one("[data-marker]", sentence)?.focus({ preventScroll: true });
    });
  }
  const first = sentences.find((sentence) => sentence.dataset.markers);
  show(first?.dataset.markers.split(" ")[0] ?? one("[data-passage]", passages).dataset.passage, first ?? null);
}

// ---------------------------------------------------------------- the text that will be sent

function setUpForm() {
  const form = one("form[data-guard]");
  const text = form && one("textarea[name=text]", form);
  if (!text) return;
  const stored = text.defaultValue;
  const isChanged = () => text.value !== stored || "typed" in text.dataset;
  const tell = () => {
    one("#text-state").textContent = isChanged() ? "Not saved yet" : "";
  };
  let leaving = false;
  text.addEventListener("input", tell);
  tell();
  for (const filler of all("[data-fills]", form)) {
    filler.addEventListener("click", (event) => {
      event.preventDefault();
      text.value = filler.dataset.fills;
      text.dispatchEvent(new Event("input"));
      text.focus();
    });
  }
  addEventListener("beforeunload", (event) => isChanged() && !leaving && event.preventDefault());
  const approve = one("#approve", form);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && approve && !one("dialog[open]")) {
      event.preventDefault();
      approve.click();
    }
  });
  approve?.addEventListener("click", (event) => {
    if (!("doubts" in form.dataset) || !text.value.trim()) return;
    event.preventDefault();
    openDialog(document.getElementById("confirm"));
  });
  document.addEventListener("submit", (event) => {
    if (event.target.method === "dialog") return;
    if (event.target.dataset.sending) event.preventDefault(); // pressed twice
    event.target.dataset.sending = "yes";
    leaving = true;
  });
  addEventListener("pageshow", () => {
    leaving = false;
    for (const sent of all("form[data-sending]")) delete sent.dataset.sending;
  });
}

// ---------------------------------------------------------------- where the draft stands

function setUpStatus() {
  const status = one("#status[data-url]");
  if (!status || "settled" in status.dataset) return;
  const look = async () => {
    if (document.hidden) return;
    try {
      const now = await fetchJson(status.dataset.url);
      if (now.line !== status.dataset.line) {
        status.dataset.line = now.line;
        status.innerHTML = now.html; // our own template, escaped there
        localiseTimes(status);
      }
      if (now.state !== status.dataset.state) announce(now);
      if (now.settled) clearInterval(timer);
    } catch (error) {
      console.warn("The draft could not be asked where it stands; it is asked again.", error);
    }
  };
  const announce = (now) => {
    status.dataset.state = now.state;
    if (!now.open) for (const button of all("#review .actions button")) button.disabled = true;
    const badge = one(".reply .facts .state");
    const fresh = one(".state", status);
    if (badge && fresh) badge.replaceWith(fresh.cloneNode(true));
    document.title = document.title.replace(/\(\w+\)/, `(${now.state})`);
  };
  const timer = setInterval(look, STATUS_EVERY_MS);
  document.addEventListener("visibilitychange", look);
}

localiseTimes();
setInterval(localiseTimes, AGES_EVERY_MS);
setUpDialogs();
document.addEventListener("keydown", pressKey);
setUpNews();
setUpEvidence();
setUpForm();
setUpStatus();
