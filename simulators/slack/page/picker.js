// The emoji picker: a search box and a grid, usable with mouse, touch and keyboard.
import { isDrawn } from "./glyphs.js";

const picker = document.getElementById("picker");
const search = document.getElementById("picker-search");
const grid = document.getElementById("picker-grid");
const none = document.getElementById("picker-none");
let opener = null;
let choose = () => {};
let all = [];

/** Opens the picker next to a button and calls `chosen` with the short name of the choice. */
export function openPicker(button, emoji, chosen) {
  if (opener === button) return closePicker();
  opener = button;
  choose = chosen;
  all = emoji;
  search.value = "";
  fill();
  picker.hidden = false;
  place(button.getBoundingClientRect());
  search.focus();
}

export function closePicker() {
  if (picker.hidden) return;
  picker.hidden = true;
  opener?.isConnected && opener.focus();
  opener = null;
}

function fill() {
  const query = search.value.trim().toLowerCase().replaceAll(":", "").replaceAll(" ", "_");
  const found = all.filter(([name, , words]) => `${name} ${words}`.includes(query));
  grid.replaceChildren(...found.map(([name, sign]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = isDrawn(sign) ? sign : `:${name}:`;
    button.title = `:${name}:`;
    button.dataset.name = name;
    button.setAttribute("role", "option");
    button.setAttribute("aria-label", name.replaceAll("_", " "));
    button.addEventListener("click", () => {
      const chosen = choose;
      closePicker();
      chosen(name);
    });
    return button;
  }));
  grid.classList.toggle("named", all.some(([, sign]) => !isDrawn(sign)));
  grid.hidden = !found.length;
  none.hidden = found.length > 0;
}

function place(beside) {
  const { width, height } = picker.getBoundingClientRect();
  const left = Math.min(beside.right - width, window.innerWidth - width - 8);
  const below = beside.bottom + 6;
  const top = below + height > window.innerHeight ? beside.top - height - 6 : below;
  picker.style.left = `${Math.max(8, left)}px`;
  picker.style.top = `${Math.max(8, top)}px`;
}

search.addEventListener("input", fill);
picker.addEventListener("keydown", (event) => {
  const buttons = [...grid.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  const columns = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  if (event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    closePicker();
  } else if (event.key === "Tab") {
    closePicker(); // back to the button that opened it, where Tab continues
  } else if (event.key === "Enter" && document.activeElement === search) {
    event.preventDefault();
    buttons[0]?.click();
  } else if (event.key in steps && (at >= 0 || event.key === "ArrowDown")) {
    event.preventDefault();
    const next = at < 0 ? 0 : at + steps[event.key];
    if (next < 0) search.focus();
    else buttons[Math.min(next, buttons.length - 1)]?.focus();
  }
});
document.addEventListener("pointerdown", (event) => {
  if (!picker.hidden && !picker.contains(event.target) && !opener?.contains(event.target)) closePicker();
});
