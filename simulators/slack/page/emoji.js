// Emoji: Slack's short name, the character and further search terms.
export const EMOJI = [
  ["biohazard_sign", "☣️", "toxic poison"],
  ["thumbsup", "👍", "+1 yes ok"],
  ["thumbsdown", "👎", "-1 no"],
  ["heart", "❤️", "love"],
  ["joy", "😂", "laugh tears"],
  ["smile", "😄", "happy"],
  ["slightly_smiling_face", "🙂", "smile"],
  ["wink", "😉", ""],
  ["thinking_face", "🤔", "hmm"],
  ["eyes", "👀", "look"],
  ["tada", "🎉", "party celebrate"],
  ["rocket", "🚀", "ship launch"],
  ["fire", "🔥", "hot"],
  ["clap", "👏", "applause"],
  ["pray", "🙏", "thanks please"],
  ["raised_hands", "🙌", "hooray"],
  ["muscle", "💪", "strong"],
  ["100", "💯", "hundred"],
  ["white_check_mark", "✅", "done yes"],
  ["x", "❌", "no wrong"],
  ["warning", "⚠️", "careful"],
  ["question", "❓", ""],
  ["bug", "🐛", "insect"],
  ["coffee", "☕", "break"],
  ["pizza", "🍕", "lunch food"],
  ["sob", "😭", "cry sad"],
  ["cry", "😢", "sad tear"],
  ["angry", "😠", "mad"],
  ["rage", "😡", "furious"],
  ["skull", "💀", "dead"],
  ["poop", "💩", "shit"],
  ["see_no_evil", "🙈", "monkey"],
  ["wave", "👋", "hello bye"],
  ["sparkles", "✨", "new"],
  ["bulb", "💡", "idea"],
];

const OTHERS = {
  hourglass: "⌛", "+1": "👍", "-1": "👎", large_orange_circle: "🟠", large_yellow_circle: "🟡", grey_question: "❔", speech_balloon: "💬",
  pencil2: "✏️", heavy_check_mark: "✔️", hourglass_flowing_sand: "⏳", laughing: "😆", grin: "😁", rotating_light: "🚨", triangular_flag_on_post: "🚩",
};

const BY_NAME = new Map([...EMOJI.map(([name, sign]) => [name, sign]), ...Object.entries(OTHERS)]);

/** Returns the character for a short name, or null if the name is unknown. */
export function emoji(name) {
  return BY_NAME.get(name.split("::")[0]) ?? null;
}
