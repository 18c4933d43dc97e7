// Emoji as this machine can show them: the character, or its short name where no font has it.
import { emoji } from "./emoji.js";

const FONTS = '"Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", sans-serif';
const SIZE = 24;
const UNASSIGNED = "\u{10FFFD}"; // private use: no font draws it
const drawn = new Map();
let missing = "";

/** Reports whether a font of this machine has a character. */
export function isDrawn(character) {
  const [base] = character; // without the selector of its emoji form, which is invisible
  if (!drawn.has(base)) {
    missing ||= pixels(UNASSIGNED);
    drawn.set(base, pixels(base) !== missing);
  }
  return drawn.get(base);
}

/** Returns the character for an emoji's short name, or `:name:` where it cannot be shown. */
export function glyph(name) {
  const character = emoji(name);
  return character && isDrawn(character) ? character : `:${name}:`;
}

/** Returns an element that shows an emoji. */
export function emojiElement(name) {
  const shown = document.createElement("span");
  shown.textContent = glyph(name);
  shown.className = shown.textContent.startsWith(":") ? "emoji-name" : "emoji";
  return shown;
}

function pixels(character) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIZE * 2;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.font = `${SIZE}px ${FONTS}`;
  context.fillText(character, 2, SIZE * 1.5);
  return context.getImageData(0, 0, canvas.width, canvas.height).data.join();
}
