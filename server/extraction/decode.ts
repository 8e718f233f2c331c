import chardet from "chardet";
import * as shared from "#contract/decode-text.ts";

/** The text that bytes are, whatever its encoding; `undefined` where it is none. `isCut`: there were more bytes. */
export function decodeText(bytes: Uint8Array, isCut: boolean): string | undefined {
  return shared.decodeText(bytes, isCut, (looked) => chardet.analyse(looked));
}
