// Editing a message in its place.
import { tool } from "./button.js";
import { typed } from "./mrkdwn.js";
import { call } from "./request.js";
import { drawRow } from "./row.js";
import { names, state } from "./state.js";
import { grow, submitOnEnter } from "./textbox.js";

/** Puts an editor in the place of a message's text. */
export function edit(message, list) {
  const row = list.querySelector(`[data-ts="${message.ts}"]`);
  const form = document.createElement("form");
  form.className = "editor";
  const box = document.createElement("textarea");
  box.value = typed(message.text, names());
  box.dir = "auto";
  box.setAttribute("aria-label", "Edit message");
  box.maxLength = 40000;
  const save = tool("save", "Save", "Save changes", () => {});
  save.type = "submit";
  save.className = "primary";
  const done = () => {
    state.editing = "";
    drawRow(list, state.messages.get(message.ts));
    list.querySelector(`[data-ts="${message.ts}"] [data-key="edit"]`)?.focus();
  };
  const cancel = tool("cancel", "Cancel", "Cancel editing", done);
  form.append(box, cancel, save);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = box.value.trim();
    const { channel, ts } = message;
    if (text && (await call("PATCH", "messages", { channel, ts, text }))) done();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      done();
    } else submitOnEnter(event);
  });
  state.editing = `${list.id}/${message.ts}`;
  row.querySelector(".body").replaceChildren(form);
  row.querySelector(".tools").remove();
  grow(box);
  box.focus();
  form.scrollIntoView({ block: "nearest" });
}
