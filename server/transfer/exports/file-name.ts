import type { Thread } from "#contract/endpoints/threads.ts";
import { cutText } from "#contract/text.ts";
import { extensionOf } from "#server/files/serving/file-urls.ts";
import { words } from "./words.ts";

const titleCharacters = 60;

/**
 * What a thread's file is called, without its ending: the day it began, and its title as far as every system of files
 * takes it. Sorted by name, files stand in the order of their threads.
 */
export function fileName(thread: Pick<Thread, "title" | "created_at">): string {
  const title = anywhere(thread.title ?? words.untitled);
  return `${thread.created_at.slice(0, 10)} ${title === "" ? words.untitled : title}`;
}

/** What an attached file is called: by its own name, and by its bytes, so that no two are alike. */
export function attachedFileName({ name, sha256 }: { name: string; sha256: string }): string {
  const ending = extensionOf(name);
  const stem = anywhere(name.slice(0, name.length - ending.length));
  return `${stem === "" ? words.file : stem} ${sha256.slice(0, 32)}${ending}`;
}

function anywhere(text: string): string {
  return (
    cutText(text.toWellFormed(), titleCharacters)
      // Windows' list is the longest; marks of direction could make a name read as another.
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\/:*?"<>|]+/gu, " ")
      .replaceAll(/\s+/gu, " ")
      .replace(/^[. ]+/, "")
      .replace(/[. ]+$/, "")
  );
}

/** The same for one of many: no two are alike, whatever their titles. */
export function uniqueFileName(thread: Pick<Thread, "id" | "title" | "created_at">): string {
  return `${fileName(thread)} ${thread.id.replace(/^thread_0/, "").replaceAll(/[^\w-]/g, "_")}`;
}
