import { createContext } from "react";

/** The thread beside which a file can be opened. Absent where no thread is shown. */
export const BesideChatContext = createContext<string | undefined>(undefined);

/** The key of a stored file in the address of a panel. No artifact has such a key, because no language has this name. */
export function fileKey(fileId: string): string {
  return `file:${fileId}`;
}
