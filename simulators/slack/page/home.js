// The app's Home tab: its entry in the sidebar, and its view.
import { HOME } from "./address.js";
import { icon } from "./icons.js";

/** Returns the sidebar's entry. */
export function homeLink(current) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = HOME;
  link.append(icon("ask"), " Toxic Bot");
  if (current) link.setAttribute("aria-current", "page");
  item.append(link);
  return item;
}

/** Draws the view; what is typed in it stays, as in Slack. */
export function drawHome(box, view, { block, press }) {
  const typed = new Map(
    [...box.querySelectorAll("textarea")].map((input) => [input.name, input.value]));
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const blocks = view?.blocks ?? [];
  box.replaceChildren(...blocks.map((one) => {
    if (one.type === "input") return field(one, typed);
    if (one.type === "actions") return buttons(one, box, press);
    if (one.type === "header") {
      const heading = document.createElement("h2");
      heading.textContent = one.text.text;
      return heading;
    }
    return block(one);
  }));
  if (focused) box.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function field(one, typed) {
  const label = document.createElement("label");
  const input = document.createElement("textarea");
  label.className = "block input";
  input.name = `${one.block_id}/${one.element.action_id}`;
  input.dataset.key = input.name;
  input.maxLength = one.element.max_length ?? 3000;
  input.rows = 3;
  input.value = typed.get(input.name) ?? "";
  label.append(one.label.text, input);
  return label;
}

function buttons(one, box, press) {
  const row = document.createElement("div");
  row.className = "block actions";
  for (const element of one.elements) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "action";
    button.textContent = element.text.text;
    button.dataset.key = `action-${element.action_id}`;
    button.addEventListener("click", () => {
      const values = {};
      for (const input of box.querySelectorAll("textarea")) {
        const [blockId, actionId] = input.name.split("/");
        values[blockId] = { ...values[blockId], [actionId]: input.value };
      }
      press(element.action_id, values);
    });
    row.append(button);
  }
  return row;
}
