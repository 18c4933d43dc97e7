// The thread beside the channel.
import { drawDays } from "./days.js";
import { closePicker } from "./picker.js";
import { drawRow, reading, toBottom } from "./row.js";
import { repliesTo, state } from "./state.js";

const TOUCH = window.matchMedia("(hover: none)");
const NARROW = window.matchMedia("(max-width: 999px)");
const $ = (id) => document.getElementById(id);

/** Draws the open thread. */
export function drawThread() {
  const list = $("thread-messages");
  const parent = state.messages.get(state.thread);
  if (!parent) return closeThread();
  const shown = [parent, ...repliesTo(parent.ts)];
  const known = new Set(shown.map((message) => message.ts));
  for (const row of [...list.children]) if (!known.has(row.dataset.ts)) row.remove();
  for (const message of shown) drawRow(list, message);
  drawDays(list);
  list.querySelector(".typing")?.remove();
  if (shown.some((message) => message.asked)) {
    const typing = document.createElement("li");
    typing.className = "typing";
    typing.append(reading());
    list.append(typing);
  }
  toBottom(list);
}

/** Makes the thread the page's main part where it takes the place of the channel. */
function setRole() {
  $("thread").setAttribute("role", NARROW.matches ? "main" : "complementary");
  $("thread-title").setAttribute("aria-level", NARROW.matches ? "1" : "2");
}

setRole();
NARROW.addEventListener("change", setRole);

export function openThread(ts, focus = false) {
  const active = document.activeElement;
  if ($("messages").contains(active)) state.opener = active.dataset.key ?? "";
  state.thread = ts;
  $("thread").hidden = false;
  document.body.classList.add("with-thread");
  $("thread-messages").replaceChildren();
  delete $("thread-messages").dataset.current;
  drawThread();
  // On a touch screen, a focused text box would cover half of the thread with a keyboard.
  if (focus) $(TOUCH.matches ? "thread-close" : "thread-text").focus();
}

export function closeThread() {
  const ts = state.thread;
  if (!ts) return;
  state.thread = "";
  closePicker();
  $("thread").hidden = true;
  document.body.classList.remove("with-thread");
  const row = $("messages").querySelector(`[data-ts="${ts}"]`);
  const opener = row?.querySelector(`[data-key="${CSS.escape(state.opener)}"]`);
  (opener?.checkVisibility() ? opener : row)?.focus();
}
