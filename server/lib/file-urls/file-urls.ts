import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The URLs of files. Everyone who knows `…/v1/content/<file>/<secret>.png` can open the file as long as it exists. A URL
 * with `signed` in place of the secret works only with its `expires` and `signature` parameters.
 */

export const signedMarker = "signed";

/** Finds URLs in any text. They contain no character that JSON escapes. */
const inText =
  /\/v1\/content\/(?<id>file_0[0-9a-hjkmnp-tv-z]{24})\/(?<secret>[0-9a-hjkmnp-tv-z]{26}|signed)(?<ext>\.[a-z0-9]{1,10})?(?<query>\?expires=\d{1,16}&signature=[\w-]{43})?/g;

/** The web app's own URLs, which need the person's session. */
const ownInText = /\/v1\/files\/(?<id>file_0[0-9a-hjkmnp-tv-z]{24})\/(?:content|thumbnail)\b/g;

type NamedFile = { id: string; secret: string };

/** The files whose URLs are in a text. `secret` is empty if the URL has none. */
export function findFileUrls(text: string): NamedFile[] {
  // Most messages have no file URL, and some have 8 MiB, so the fastest check comes first.
  if (!text.includes("/file_0")) return [];
  const named = [...text.matchAll(inText)].map(({ groups }) => ({
    id: groups!.id!,
    secret: groups!.secret === signedMarker ? "" : groups!.secret!,
  }));
  const own = [...text.matchAll(ownInText)].map(({ groups }) => ({ id: groups!.id!, secret: "" }));
  return [...named, ...own];
}

/** Removes signatures from URLs that have a secret. */
export function withoutSignatures(text: string): string {
  if (!text.includes("/file_0")) return text;
  return text.replaceAll(inText, (address, ...rest) => {
    const { secret, query = "" } = rest.at(-1) as { secret: string; query?: string };
    return secret === signedMarker ? address : address.slice(0, address.length - query.length);
  });
}

/** Replaces the query of URLs that have a secret by the result of `queryOf`. `undefined`: it is not changed. */
export function withSignatures(
  text: string,
  queryOf: (id: string, secret: string) => string | undefined,
): string {
  if (!text.includes("/file_0")) return text;
  return text.replaceAll(inText, (address, ...rest) => {
    const { id, secret, query = "" } = rest.at(-1) as { id: string; secret: string; query?: string };
    const signed = secret === signedMarker ? undefined : queryOf(id, secret);
    return signed === undefined ? address : address.slice(0, address.length - query.length) + signed;
  });
}

/** The origin and base path of a URL. */
const service = String.raw`(?:https?:\/\/[\w.:[\]-]{1,255}(?:\/[\w.~%-]{1,100}){0,8}?)?`;
const wholeInText = new RegExp(service + inText.source, "g");
const wholeOwnInText = new RegExp(service + ownInText.source, "g");
/** A file's URL that breaks off in its secret or its signature, as in an answer that is being written. */
const brokenInText = new RegExp(
  String.raw`${service}\/v1\/content\/file_0[0-9a-hjkmnp-tv-z]{24}\/(?:[0-9a-hjkmnp-tv-z]{1,25}(?![0-9a-z])|signed(?:\.[a-z0-9]{1,10})?\?expires=\d{1,16}&signature=[\w-]{1,42}(?![\w-]))`,
  "g",
);

/**
 * Replaces file URLs in the JSON of a message by URLs of other files, at the service under `base`. `files` maps the old
 * ids to the new files. URLs of files that keep their id are not changed.
 */
export function rewriteFileUrls(
  json: string,
  files: ReadonlyMap<string, NamedFile & { name: string }>,
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
      const file = other((rest.at(-1) as NamedFile).id);
      return file === undefined ? address : permanentUrl(place, file);
    })
    .replaceAll(wholeOwnInText, (address, ...rest) => {
      const { id } = rest.at(-1) as NamedFile;
      const file = other(id);
      if (file === undefined) return address;
      const path = address.slice(address.indexOf("/v1/files/")).replace(id, file.id);
      return address.startsWith("/") ? path : place + path;
    });
}

/**
 * Replaces every file URL in the JSON of a message by the result of `addressOf`, also those that a model wrote into its
 * answer. Of one that is written just now, nothing is left: all but the last characters of its secret could be guessed.
 */
export function replaceFileUrls(json: string, addressOf: (id: string) => string): string {
  if (!json.includes("/file_0")) return json;
  const replace = (_address: string, ...rest: unknown[]) => addressOf((rest.at(-1) as NamedFile).id);
  return json
    .replaceAll(brokenInText, "")
    .replaceAll(wholeInText, replace)
    .replaceAll(wholeOwnInText, replace);
}

/** A text as members of a thread get it: its files have addresses that need the member's session. */
export function withoutFileSecrets(text: string): string {
  return replaceFileUrls(text, (id) => `/v1/files/${id}/content`);
}

/** The place in a text that is being written from which on a file's URL may still be incomplete; its length if none is. */
export function openUrlAt(text: string): number {
  const begun = text.lastIndexOf(urlStart);
  if (begun !== -1 && text.length - begun <= urlLengthMax && /^[\w./?&=-]*$/.test(text.slice(begun)))
    return begun;
  for (let length = urlStart.length - 1; length > 0; length--)
    if (text.endsWith(urlStart.slice(0, length))) return text.length - length;
  return text.length;
}

const urlStart = "/v1/content/file_0";
/** More than the longest URL from `urlStart` on, which has about 160 characters. */
const urlLengthMax = 256;

/**
 * Continues a text that broke off with `tail`, where a file's URL may have begun. Returns `more` without what belongs to
 * that URL, and the new tail if it may still go on.
 */
export function continueUrl(tail: string, more: string): { text: string; tail: string | undefined } {
  const joined = tail + more;
  if (!joined.startsWith(urlStart))
    return { text: more, tail: urlStart.startsWith(joined) ? joined : undefined };
  const text = more.replace(/^[\w./?&=-]+/, "");
  return { text, tail: text === "" ? urlStart : undefined };
}

function permanentUrl(base: string, { id, secret, name }: NamedFile & { name: string }): string {
  return `${base}/v1/content/${id}/${secret}${extensionOf(name)}`;
}

/** The file and the secret of a URL; `undefined`: it is not a file's URL. */
export function parseFileUrl(address: string): NamedFile | undefined {
  const match = [...address.matchAll(inText)];
  const [only] = match;
  if (match.length !== 1 || !address.endsWith(only![0]) || only!.groups!.secret === signedMarker)
    return undefined;
  return { id: only!.groups!.id!, secret: only!.groups!.secret! };
}

/** The extension of a name: `.png`. Empty if it has unusual characters. */
export function extensionOf(name: string): string {
  return (/\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? "").toLowerCase();
}

type Signed = { expires: number; signature: string };

export type FileUrls = ReturnType<typeof createFileUrls>;

/** Creates and checks URLs. `secret` must be used for nothing else. */
export function createFileUrls(secret: string) {
  const sign = (parts: Part[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(parts)).digest("base64url");
  const isSigned = (parts: Part[], signature: string): boolean => {
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(parts))];
    return given.length === right.length && timingSafeEqual(given, right);
  };
  const openParts = (id: string, place: string, expires: number): Part[] => ["open", id, place, expires];
  const signature = (id: string, place: string, expires: number): string =>
    `?expires=${expires}&signature=${sign(openParts(id, place, expires))}`;
  const uploadParts = (id: string, { expires, type, length }: SignedUpload): Part[] => [
    "upload",
    id,
    expires,
    type ?? null,
    length ?? null,
  ];

  return {
    /** Opens the file as long as it exists. */
    permanent: permanentUrl,

    /** Opens the file until `expires`. Does not contain its secret. */
    temporary: (base: string, { id, name }: { id: string; name: string }, expires: number): string =>
      `${base}/v1/content/${id}/${signedMarker}${extensionOf(name)}${signature(id, signedMarker, expires)}`,

    /** The query of a URL that expires. `place` is the secret or `signedMarker`. */
    signature,

    /** Whether the signature is valid. Does not check whether it has expired. */
    isSigned: (id: string, place: string, { expires, signature }: Signed): boolean =>
      isSigned(openParts(id, place, expires), signature),

    /** The URL to upload a file to. */
    upload(base: string, id: string, signed: SignedUpload): string {
      const query = new URLSearchParams({
        expires: String(signed.expires),
        ...(signed.type === undefined ? {} : { type: signed.type }),
        ...(signed.length === undefined ? {} : { length: String(signed.length) }),
        signature: sign(uploadParts(id, signed)),
      });
      return `${base}/v1/files/${id}/content?${query.toString()}`;
    },

    isUpload: (id: string, signed: SignedUpload, signature: string): boolean =>
      isSigned(uploadParts(id, signed), signature),
  };
}

/** The signed parameters of an upload's URL. `expires` is in milliseconds since 1970. */
export type SignedUpload = { expires: number; type?: string | undefined; length?: number | undefined };

type Part = string | number | null;

/** The protocol's name for a file. It is not a path and grants no access. */
export function keyOf(file: { id: string; app_id: string; name: string }): string {
  return `attachments/${file.app_id}/${file.id}${extensionOf(file.name)}`;
}

/** The id of the file that a key names; `undefined`: it is not a key of this app. */
export function fileIdOf(key: string, appId: string): string | undefined {
  const [, app, id] = /^attachments\/([\w-]+)\/(file_0[0-9a-z]{24})(?:\.[a-z0-9]{1,10})?$/.exec(key) ?? [];
  return app === appId ? id : undefined;
}
