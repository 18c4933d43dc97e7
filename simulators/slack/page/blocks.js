// Slack's blocks as DOM nodes.
import { tool } from "./button.js";
import { render } from "./mrkdwn.js";
import { call } from "./request.js";
import { names, state } from "./state.js";

/** Returns a block; `message` is what its buttons belong to. */
export function block(one, message) {
  if (one.type === "actions") return actions(one, message);
  const shown = document.createElement("div");
  shown.className = `block ${one.type}`;
  if (one.type === "divider") return document.createElement("hr");
  const texts = one.type === "context" ? one.elements : [one.text, ...(one.fields ?? [])];
  for (const part of texts.filter(Boolean)) {
    const line = document.createElement("div");
    line.dir = "auto";
    if (part.type === "plain_text") line.textContent = part.text;
    else line.append(render(part.text ?? "", names(), state.viewer));
    shown.append(line);
  }
  return shown;
}

function actions(one, message) {
  const shown = document.createElement("div");
  shown.className = "block actions";
  for (const element of one.elements) {
    const button = tool(`action-${element.action_id}`, element.text.text, element.text.text, () =>
      call("POST", "actions", {
        channel: message.channel, ts: message.ts, action: element.action_id,
      }));
    button.className = "action";
    button.removeAttribute("title");
    shown.append(button);
  }
  return shown;
}
