/** The colours behind an assistant's letter or emoji. What each looks like is the web app's. */
export const avatarColours = ["green", "blue", "violet", "rose", "amber", "stone"] as const;
export type AvatarColour = (typeof avatarColours)[number];

/** Emoji of several people or with a skin colour are one character to a reader and many to a program. */
const codeUnitsMax = 32;

/** Whether `text` is one character as a reader counts: a letter or an emoji, and nothing that cannot be seen. */
export function isOneCharacter(text: string): boolean {
  if (text.length === 0 || text.length > codeUnitsMax || /\s|\p{Cc}|\p{Cs}/u.test(text)) return false;
  const [first, second] = new Intl.Segmenter().segment(text);
  return first !== undefined && second === undefined && /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);
}
