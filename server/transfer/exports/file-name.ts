import type { Thread } from "#contract/endpoints/threads.ts";
import { cutText } from "#contract/text.ts";
import { extensionOf } from "#server/lib/file-urls/file-urls.ts";
import { words } from "./export-words.ts";

const titleCharacters = 60;

/**
 * The file name of a thread, without its extension: the date, so that files sort by time, and the title without
 * characters that some file system forbids.
 */
export function fileName(thread: Pick<Thread, "title" | "created_at">): string {
  const title = anywhere(thread.title ?? words.untitled);
  return `${thread.created_at.slice(0, 10)} ${title === "" ? words.untitled : title}`;
}

/** The name of an attached file in the zip. It contains the hash, so that it is unique. */
export function attachedFileName({ name, sha256 }: { name: string; sha256: string }): string {
  const ending = extensionOf(name);
  const stem = anywhere(name.slice(0, name.length - ending.length));
  return `${stem === "" ? words.file : stem} ${sha256.slice(0, 32)}${ending}`;
}

/** The name of a person's file in an export of everyone. It ends with the id, so that it is unique. */
export function ownerFileName(name: string, id: string): string {
  return `${anywhere(name)} ${id.replaceAll(/[^\w-]/g, "_")}`.trim();
}

function anywhere(text: string): string {
  return (
    cutText(text.toWellFormed(), titleCharacters)
      // The characters that Windows forbids, and marks of direction, which can disguise a name.
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\/:*?"<>|]+/gu, " ")
      .replaceAll(/\s+/gu, " ")
      .replace(/^[. ]+/, "")
      .replace(/[. ]+$/, "")
  );
}

/** Like `fileName`, followed by the thread's id, so that it is unique. */
export function uniqueFileName(thread: Pick<Thread, "id" | "title" | "created_at">): string {
  return `${fileName(thread)} ${thread.id.replace(/^thread_0/, "").replaceAll(/[^\w-]/g, "_")}`;
}
