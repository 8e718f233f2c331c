import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The addresses of files. `…/v1/content/<file>/<secret>.png` opens a file for whoever knows it, for as long as the file
 * is there; with `expires` and `signature` behind it, until then. Where the secret stands, `signed` may stand instead:
 * the address then is good for nothing but its signature.
 */

/** Where a file's secret would stand in an address that does not tell it. */
export const noSecret = "signed";

/** The file and the secret of an address, as they stand in any text: addresses hold no character that JSON escapes. */
const inText =
  /\/v1\/content\/(?<id>file_0[0-9a-hjkmnp-tv-z]{24})\/(?<secret>[0-9a-hjkmnp-tv-z]{26}|signed)(?<ext>\.[a-z0-9]{1,10})?(?<query>\?expires=\d{1,16}&signature=[\w-]{43})?/g;

/** The web app's own addresses, which want the person's credential. */
const ownInText = /\/v1\/files\/(?<id>file_0[0-9a-hjkmnp-tv-z]{24})\/(?:content|thumbnail)\b/g;

export type Named = { id: string; secret: string };

/** The files that a text speaks of, in either kind of address; `secret` is empty where none stands there. */
export function filesNamedIn(text: string): Named[] {
  // Most messages speak of no file, and some are 8 MiB: the quickest look first.
  if (!text.includes("/file_0")) return [];
  const named = [...text.matchAll(inText)].map(({ groups }) => ({
    id: groups!.id!,
    secret: groups!.secret === noSecret ? "" : groups!.secret!,
  }));
  const own = [...text.matchAll(ownInText)].map(({ groups }) => ({ id: groups!.id!, secret: "" }));
  return [...named, ...own];
}

/** A text whose addresses open files for good, where they tell the secret: without what was signed for a while. */
export function canonical(text: string): string {
  if (!text.includes("/file_0")) return text;
  return text.replaceAll(inText, (address, ...rest) => {
    const { secret, query = "" } = rest.at(-1) as { secret: string; query?: string };
    return secret === noSecret ? address : address.slice(0, address.length - query.length);
  });
}

/**
 * A text whose addresses are good until a moment: `queryOf` gives what is to stand behind each that tells its secret;
 * `undefined`: what stands there now.
 */
export function withSignatures(
  text: string,
  queryOf: (id: string, secret: string) => string | undefined,
): string {
  if (!text.includes("/file_0")) return text;
  return text.replaceAll(inText, (address, ...rest) => {
    const { id, secret, query = "" } = rest.at(-1) as { id: string; secret: string; query?: string };
    const signed = secret === noSecret ? undefined : queryOf(id, secret);
    return signed === undefined ? address : address.slice(0, address.length - query.length) + signed;
  });
}

/** What may stand before an address's path: where the service was reached when it was stored. */
const service = String.raw`(?:https?:\/\/[\w.:[\]-]{1,255}(?:\/[\w.~%-]{1,100}){0,8}?)?`;
const wholeInText = new RegExp(service + inText.source, "g");
const wholeOwnInText = new RegExp(service + ownInText.source, "g");

/**
 * The JSON of a message whose addresses lead to other files, at the service under `base`: `files` has them by the ids
 * that stand there now. Those of the same id stay to the letter.
 */
export function moved(
  json: string,
  files: ReadonlyMap<string, Named & { name: string }>,
  base: string,
): string {
  if (!json.includes("/file_0")) return json;
  const place = JSON.stringify(base).slice(1, -1);
  const other = (id: string) => {
    const file = files.get(id);
    return file?.id === id ? undefined : file;
  };
  return json
    .replaceAll(wholeInText, (address, ...rest) => {
      const file = other((rest.at(-1) as Named).id);
      return file === undefined ? address : lastingAddress(place, file);
    })
    .replaceAll(wholeOwnInText, (address, ...rest) => {
      const { id } = rest.at(-1) as Named;
      const file = other(id);
      if (file === undefined) return address;
      const path = address.slice(address.indexOf("/v1/files/")).replace(id, file.id);
      return address.startsWith("/") ? path : place + path;
    });
}

function lastingAddress(base: string, { id, secret, name }: Named & { name: string }): string {
  return `${base}/v1/content/${id}/${secret}${extensionOf(name)}`;
}

/** The file and the secret of one whole address; `undefined` where it is none. */
export function readAddress(address: string): Named | undefined {
  const match = [...address.matchAll(inText)];
  const [only] = match;
  if (match.length !== 1 || !address.endsWith(only![0]) || only!.groups!.secret === noSecret)
    return undefined;
  return { id: only!.groups!.id!, secret: only!.groups!.secret! };
}

/** What a name ends with, where a browser or a model may go by it: `.png`. Empty where that is not plain. */
export function extensionOf(name: string): string {
  return (/\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? "").toLowerCase();
}

type Signed = { expires: number; signature: string };

export type Addresses = ReturnType<typeof createAddresses>;

/** Makes addresses and knows them again. `secret` is for this alone. */
export function createAddresses(secret: string) {
  const sign = (parts: Part[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url");
  const isSigned = (parts: Part[], signature: string): boolean => {
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(parts))];
    return given.length === right.length && timingSafeEqual(given, right);
  };
  const openParts = (id: string, place: string, expires: number): Part[] => ["open", id, place, expires];
  const signature = (id: string, place: string, expires: number): string =>
    `?expires=${expires}&signature=${sign(openParts(id, place, expires))}`;
  const uploadParts = (id: string, { expires, type, length }: UploadBounds): Part[] => [
    "upload",
    id,
    expires,
    type ?? null,
    length ?? null,
  ];

  return {
    /** For good: as long as the file is there. */
    lasting: lastingAddress,

    /** Until `expires`, and without the file's secret. */
    passing: (base: string, { id, name }: { id: string; name: string }, expires: number): string =>
      `${base}/v1/content/${id}/${noSecret}${extensionOf(name)}${signature(id, noSecret, expires)}`,

    /** What stands behind an address that is good until `expires`; `place` is the secret, or what stands in its place. */
    signature,

    /** Whether an address that stands at `place` (a secret, or `signed`) carries our signature. Says nothing of its time. */
    isSigned: (id: string, place: string, { expires, signature }: Signed): boolean =>
      isSigned(openParts(id, place, expires), signature),

    /** Takes one file, as `bounds` say. */
    upload(base: string, id: string, bounds: UploadBounds): string {
      const query = new URLSearchParams({
        expires: String(bounds.expires),
        ...(bounds.type === undefined ? {} : { type: bounds.type }),
        ...(bounds.length === undefined ? {} : { length: String(bounds.length) }),
        signature: sign(uploadParts(id, bounds)),
      });
      return `${base}/v1/files/${id}/content?${query.toString()}`;
    },

    isUpload: (id: string, bounds: UploadBounds, signature: string): boolean =>
      isSigned(uploadParts(id, bounds), signature),
  };
}

/** What an upload's address binds: until when (milliseconds since 1970), and what was declared. */
export type UploadBounds = { expires: number; type?: string | undefined; length?: number | undefined };

type Part = string | number | null;
