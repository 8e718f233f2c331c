/** Background colours of assistants. The web app defines their values. */
export const avatarColours = ["green", "blue", "violet", "rose", "amber", "stone"] as const;
export type AvatarColour = (typeof avatarColours)[number];

/** Emoji with several people or a skin tone consist of many code units. */
const codeUnitsMax = 32;

/** Whether `text` is one visible grapheme: a letter, digit, symbol or emoji. */
export function isOneCharacter(text: string): boolean {
  if (text.length === 0 || text.length > codeUnitsMax || /\s|\p{Cc}|\p{Cs}/u.test(text)) return false;
  const [first, second] = new Intl.Segmenter().segment(text);
  return first !== undefined && second === undefined && /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);
}
