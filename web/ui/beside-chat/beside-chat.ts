import { createContext } from "react";

/** The thread beside which a file can be opened; `answerId`: the answer in a comparison that has the file. */
export type BesideChat = { threadId: string; answerId?: string };

/** Absent where no thread is shown. */
export const BesideChatContext = createContext<BesideChat | undefined>(undefined);

/** The key of a stored file in the address of a panel. No artifact has such a key, because no language has this name. */
export function fileKey(fileId: string): string {
  return `file:${fileId}`;
}
