// The keyboard. A list of messages is one stop for Tab, and arrow keys move within it; Tab then
// reaches the controls of that one message. Its toolbar is one stop again. F6 goes from one part of the page to the next.
const CONTROLS = "a, button, textarea, input";

/** Lets the arrow keys move between the messages of a list. */
export function navigate(list) {
  list.addEventListener("focusin", (event) => {
    const row = event.target.closest(".message");
    if (row) select(list, row);
  });
  list.addEventListener("keydown", (event) => {
    const row = event.target.closest(".message");
    if (!row || event.target.matches("textarea, input")) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (moveInToolbar(event)) return;
    const rows = [...list.querySelectorAll(".message")];
    const at = rows.indexOf(row);
    const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    rows[next]?.focus();
    rows[next]?.scrollIntoView({ block: "nearest" });
  });
}

/** Takes a row that was just drawn into the order of Tab. */
export function adopt(list, row) {
  const current = currentRow(list);
  setTabStops(row, row === current);
  for (const other of list.querySelectorAll('.message[tabindex="0"]')) {
    if (other !== current) setTabStops(other, false);
  }
  if (current) setTabStops(current, true);
}

/** Lets Tab stop at the newest message again, unless the focus is in the list. */
export function toNewest(list) {
  if (!list.contains(document.activeElement)) delete list.dataset.current;
}

/** Removes a row; the focus, if it is there, goes to its neighbor. */
export function removeRow(list, row) {
  const rows = [...list.querySelectorAll(".message")];
  const at = rows.indexOf(row);
  const hasFocus = row.contains(document.activeElement);
  row.remove();
  const neighbor = rows[at + 1] ?? rows[at - 1];
  if (neighbor) adopt(list, neighbor);
  if (hasFocus) neighbor?.focus();
}

/** Lets F6 and Shift+F6 go around the parts of the page; each entry returns what to focus. */
export function navigateParts(parts) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "F6" || event.altKey || event.ctrlKey || event.metaKey) return;
    const targets = parts.map((part) => part()).filter((one) => one?.checkVisibility(VISIBLE));
    if (!targets.length) return;
    event.preventDefault();
    const at = targets.findLastIndex((one) => holder(one).contains(document.activeElement));
    const next = at < 0 ? 0 : at + (event.shiftKey ? -1 : 1);
    targets.at(next % targets.length).focus();
  });
}

/** Returns the message of a list that Tab stops at: the one used last, or else the newest. */
export function currentRow(list) {
  const used = list.querySelector(`.message[data-ts="${list.dataset.current ?? ""}"]`);
  return used ?? [...list.querySelectorAll(".message")].at(-1);
}

const VISIBLE = { visibilityProperty: true };

function holder(target) {
  return target.closest(".messages, .composer, nav") ?? target;
}

function select(list, row) {
  list.dataset.current = row.dataset.ts;
  adopt(list, row);
}

/** Moves between the buttons of a toolbar, which are one stop for Tab; reports whether it did. */
function moveInToolbar(event) {
  const toolbar = event.target.closest("[role=toolbar]");
  if (!toolbar) return false;
  const buttons = [...toolbar.querySelectorAll("button")];
  const at = buttons.indexOf(event.target);
  const last = buttons.length - 1;
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (next === undefined) return false;
  event.preventDefault();
  buttons[Math.min(Math.max(next, 0), last)].focus();
  return true;
}

function setTabStops(row, isStop) {
  row.tabIndex = isStop ? 0 : -1;
  for (const control of row.querySelectorAll(CONTROLS)) control.tabIndex = isStop ? 0 : -1;
  for (const toolbar of row.querySelectorAll("[role=toolbar]")) {
    const buttons = [...toolbar.querySelectorAll("button")];
    const used = buttons.includes(document.activeElement) ? document.activeElement : buttons[0];
    for (const button of buttons) if (button !== used) button.tabIndex = -1;
  }
}
