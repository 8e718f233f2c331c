import type { BranchMessage } from "#contract/endpoints/messages.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { type StoredAttachment, readStored } from "#contract/parts/stored.ts";

const read = new WeakMap<BranchMessage, readonly Part[]>();

/** The parts of a stored message, then what is attached to it. The same row gives the same list. */
export function partsOf(row: BranchMessage): readonly Part[] {
  const known = read.get(row);
  if (known !== undefined) return known;
  const { parts, attached } = readStored(row.format, row.content);
  const all = [...parts, ...attached.flatMap(attachedParts)];
  read.set(row, all);
  return all;
}

/** Some clients store the text of an attached file as a text part. It is shown as a file, not as the person's text. */
function attachedParts({ name, mediaType = "text/plain", parts }: StoredAttachment): Part[] {
  return parts.map((part) => {
    if (part.type !== "text") return part;
    // A URL cannot contain a lone surrogate.
    const data = `data:text/plain,${encodeURIComponent(part.text.toWellFormed())}`;
    return { type: "file", data, mimeType: mediaType, ...(name === undefined ? {} : { filename: name }) };
  });
}
