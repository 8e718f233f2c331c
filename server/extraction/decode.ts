import chardet from "chardet";
import * as shared from "#contract/decode-text.ts";

/** Decodes text in any encoding; `undefined`: the bytes are not text. `isCut`: these are only the first bytes. */
export function decodeText(bytes: Uint8Array, isCut: boolean): string | undefined {
  return shared.decodeText(bytes, isCut, (looked) => chardet.analyse(looked));
}
