// Status messages: the connection, announcements to screen readers, and errors.
const $ = (id) => document.getElementById(id);
const TOAST_TIME = 5000; // milliseconds
let toastTimer = 0;

/** Shows the state of the connection: connecting, connected or reconnecting. */
export function showConnection(name) {
  if ($("connection").dataset.state === name) return;
  $("connection").dataset.state = name;
  $("connection").textContent = name;
}

/** Has screen readers say a text once. Nothing else on the page is live but errors. */
export function announce(text) {
  const line = document.createElement("span");
  line.textContent = text;
  $("announcer").replaceChildren(line); // a new node: the same text twice is said twice
}

export function toast(text) {
  clearTimeout(toastTimer);
  $("toast").textContent = text;
  $("toast").hidden = false;
  toastTimer = setTimeout(() => { $("toast").hidden = true; }, TOAST_TIME);
}
