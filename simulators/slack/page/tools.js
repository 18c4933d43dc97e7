// What can be done with a message: the buttons that appear beside it.
import { tool } from "./button.js";
import { deleteLater } from "./deletion.js";
import { edit } from "./editor.js";
import { EMOJI } from "./emoji.js";
import { openPicker } from "./picker.js";
import { call } from "./request.js";
import { drawRow } from "./row.js";
import { state } from "./state.js";
import { openThread } from "./thread.js";

const WIDE = window.matchMedia("(min-width: 1000px)");
const $ = (id) => document.getElementById(id);

/** Fills in the buttons for a message in a list. */
export function fillTools(tools, message, list) {
  if (state.asking.length && message.user !== state.bot) {
    tools.append(tool("ask", "ask", "Ask the bot for a verdict", () => ask(message)));
  }
  if (message.user !== state.bot) {
    tools.append(tool("shortcut", "how", "Is this toxic?", () =>
      call("POST", "shortcuts", { channel: message.channel, ts: message.ts })));
    tools.append(tool("report", "report", "Report to moderators", () =>
      call("POST", "shortcuts", {
        channel: message.channel, ts: message.ts, shortcut: "report_to_moderators",
      })));
  }
  tools.append(tool("react", "react", "Add a reaction", (event) =>
    openPicker(event.currentTarget, EMOJI, (name) => react(message, name))));
  if (list === $("messages")) {
    tools.append(tool("reply", "reply", "Reply in thread", () => openThread(message.ts, true)));
  }
  if (message.user === state.viewer) {
    tools.append(tool("edit", "edit", "Edit message", () => edit(message, list)));
    tools.append(tool("delete", "delete", "Delete message", () => remove(message)));
  }
}

/** Adds or removes a reaction; where there is room, asking opens the thread. */
export async function react(message, name) {
  const mine = message.reactions.some(
    (one) => one.name === name && one.users.includes(state.viewer));
  const done = await call("POST", "reactions", { channel: message.channel, ts: message.ts, name });
  if (done && !mine && state.asking.includes(name) && WIDE.matches) {
    openThread(message.thread ?? message.ts, true);
  }
}

/** Asks the bot for a verdict, with the channel's own emoji; where there is room, opens the thread. */
export async function ask(message) {
  const done = await call("POST", "asks", { channel: message.channel, ts: message.ts });
  if (done && WIDE.matches) openThread(message.thread ?? message.ts, true);
}

function remove(message) {
  const { channel, ts } = message;
  const send = (isLeaving) => call("DELETE", "messages", { channel, ts }, isLeaving);
  deleteLater(message, send, () => {
    for (const list of document.querySelectorAll(".messages")) {
      const row = list.querySelector(`[data-ts="${ts}"]`);
      if (!row) continue;
      const hadFocus = row.contains(document.activeElement);
      drawRow(list, state.messages.get(ts));
      const drawn = list.querySelector(`[data-ts="${ts}"]`);
      if (hadFocus) (drawn?.querySelector('[data-key="undo"]') ?? drawn)?.focus();
    }
  });
}
