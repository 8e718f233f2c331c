import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";

/** Deeper values of a tool are left out: nothing that people read is nested like this. */
const levelsMax = 50;
/** A value of a list or an object, besides its text. */
const valueCharacters = 4;

const cutNote = "The result was longer. The rest was cut off.";

/**
 * The result of a tool as the answer keeps it: at most `limits.toolOutputCharacters` of text, without what only a terminal
 * reads. A result that is cut has a note that says so.
 */
export function boundResult(result: Json): Json {
  const room = { left: limits.toolOutputCharacters, isCut: false };
  const bound = boundValue(result, levelsMax, room);
  if (!room.isCut) return bound;
  return typeof bound === "string" ? `${bound}\n\n[${cutNote}]` : { note: cutNote, result: bound };
}

type Room = { left: number; isCut: boolean };

function boundValue(value: Json, levels: number, room: Room): Json {
  if (typeof value === "string") return boundText(value, room);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) {
    room.isCut = true;
    return null;
  }
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      if (!hasRoom(room)) break;
      items.push(boundValue(item, levels - 1, room));
    }
    return items;
  }
  const entries: [string, Json][] = [];
  for (const [key, entry] of Object.entries(value)) {
    if (!hasRoom(room)) break;
    entries.push([boundText(key, room), boundValue(entry, levels - 1, room)]);
  }
  return Object.fromEntries(entries);
}

function hasRoom(room: Room): boolean {
  room.left -= valueCharacters;
  if (room.left > 0) return true;
  room.isCut = true;
  return false;
}

function boundText(text: string, room: Room): string {
  const cut = cutText(text, Math.max(0, room.left));
  if (cut.length < text.length) room.isCut = true;
  room.left -= cut.length;
  return plainText(cut);
}

/** Sequences that colour text or move the cursor of a terminal, also those that were cut off. */
const terminalSequences =
  // eslint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]?|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~]?)/g;
/** Controls besides tab and newline, characters that reverse the text around them, and letters that nobody sees. */
const hiddenCharacters =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

export function plainText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(terminalSequences, "").replaceAll(hiddenCharacters, "");
}
