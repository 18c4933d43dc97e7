// What an answer of the bot says, and whether it still holds.
import { state } from "./state.js";

/** Reports whether an answer is about an earlier version of its message. */
export function isStale(answer) {
  const judged = state.messages.get(answer.about);
  return Boolean(judged) && !judged.deleted && judged.edited !== answer.about_version;
}

/** Returns the kind of a verdict, based on the emoji that it starts with. */
export function tone(message) {
  const first = message.blocks[0]?.text?.text ?? "";
  if (first.startsWith(":large_orange_circle:")) return "toxic";
  if (first.startsWith(":large_yellow_circle:")) return "borderline";
  if (first.startsWith(":white_check_mark:")) return "fine";
  return "nothing";
}

/** Reports whether a private answer says what the bot made of a text, and no more than that. */
export function isVerdict(message) {
  return /^:(large_orange_circle|large_yellow_circle|white_check_mark|grey_question):/.test(message.blocks[0]?.text?.text ?? "");
}

/** Returns a verdict in words. */
export function verdictOf(message) {
  return { toxic: "toxic", borderline: "borderline", fine: "not toxic", nothing: "nothing to judge" }[tone(message)];
}
