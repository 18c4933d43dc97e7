// Buttons with an icon or a short text.
import { icon } from "./icons.js";

/** Returns a button; `key` is what it is found by after its message was redrawn. */
export function tool(key, sign, label, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(icon(sign) ?? sign);
  button.title = label;
  button.dataset.key = key;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", action);
  return button;
}
