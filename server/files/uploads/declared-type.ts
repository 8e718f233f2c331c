import { fileTypes, typeOfBytes } from "./sniff.ts";
import { textNames } from "./text-names.ts";

/**
 * The type of an upload: the declared one, unless the bytes contradict it. Types that a browser may run or display are
 * decided by the bytes alone.
 */
export async function typeOfUpload(
  head: Uint8Array,
  name: string,
  declared: string | null | undefined,
): Promise<string> {
  const found = await typeOfBytes(head, name);
  const type = essence(declared);
  return /^[a-z]+\/[a-z0-9][\w.+-]{0,100}$/.test(type) && (await agrees(type, found, name)) ? type : found;
}

/** A media type without its parameters. A browser sends an empty type if it does not know it. */
export function essence(type: string | null | undefined): string {
  return (type ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether bytes that show `found` can be of the declared type. */
async function agrees(declared: string, found: string, name: string): Promise<boolean> {
  switch (found) {
    // The container of the old office formats.
    case "application/x-cfb":
      return /^application\/(?:msword|vnd\.visio|vnd\.ms-(?:excel|powerpoint|app|works))$/.test(declared);
    case "application/rtf":
      return declared === "text/rtf";
    case "image/x-icon":
      return declared === "image/vnd.microsoft.icon";
    case "text/plain":
      return /^text\/(?!html|xml|javascript|ecmascript|rtf)/.test(declared);
    case "application/octet-stream":
      return (
        /^(?:application|font|model|chemical)\/(?!.*(?:json|xml|javascript|ecmascript))/.test(declared) &&
        // The bytes of these types would show the type.
        !(await fileTypes()).supportedMimeTypes.has(declared) &&
        !textNames.test(name)
      );
    default:
      return false;
  }
}
