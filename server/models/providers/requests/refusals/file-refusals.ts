import type { ModelInput } from "#contract/endpoints/models.ts";
import type { FilesRefusal, ModelRequest } from "../../../model.ts";
import type { Failure } from "../failure.ts";

// Servers have no error code for files that a model does not accept. These patterns are for their error messages.
const inputNames: [ModelInput, RegExp][] = [
  ["image", /image|vision|visual|multi-?modal|mmproj|picture/i],
  ["pdf", /\bfiles?\b|pdf|document|input_file/i],
  ["audio", /audio|sound/i],
];
/** The model does not accept this kind of file. */
const kindPattern =
  /not? (?:\w+ ){0,3}(?:support|accept|allow|available|a (?:multi-?modal|vision)|able|capable|permit)|unsupported|does ?n[o']t|cannot|can't|no endpoints found|missing data required|invalid (?:content|part|value|type|message)|unknown (?:part|variant|content)|expected (?:a )?string|must be a string|only (?:supports? )?text/i;
/** One file is invalid or too large; others of its kind may be accepted. */
const onePattern =
  /uploaded an unsupported|unsupported (?:image|picture|media|mime|file|audio)?[ _]?(?:formats?|types?|encoding)\b|(?:represent|be|is|was|are) (?:not )?(?:an? )?valid|not (?:an? )?valid|not valid|invalid[ _](?:image|pdf|file|audio|base64|data)(?![ _]input)|image_parse_error|cannot identify|(?:could|can|did)(?: ?not|n't) (?:be )?(?:process|decode|read|open|pars|load)|(?:fail(?:ed|ure)|unable|error)(?: to| while| in)? (?:process|decod|read|open|pars|load)|corrupt|damaged|malformed|truncated|too (?:large|big|small|long)|exceeds? .{0,40}(?:bytes|[km]i?b\b|pixels|size|dimension)|(?:minimum|maximum) (?:size|dimension)/i;
/** The provider could not fetch a URL. */
const urlPattern =
  /download|fetch|retriev|\burls?\b|invalid_image_url|time(?:d )?out|not reach|resolve|https? (?:only|address)/i;
/** The request has too many images. */
const countPattern =
  /at most (?<atMost>\d+) (?:image|picture)|too many (?:image|picture)|(?:image|picture)s?\b.{0,60}\b(?:exceeds?|limit(?:ed)?(?: to| of)?|up to|maximum(?: of)?|max\.?) (?:the (?:maximum|limit) )?(?:number )?(?:of )?(?<limit>\d+)(?! ?[km]?i?b\b| ?(?:px|pixels|x\d))|(?:limit|maximum|max|up to|more than|exceeds?)\b.{0,30}?(?<before>\d+) (?:image|picture)s/i;
/** Some servers answer 500 or 501 for this. */
const statuses = new Set([400, 404, 413, 415, 422, 500, 501]);

/** Which of a request's files the provider refused; `undefined` if it refused the request for another reason. */
export function findFilesRefusal(
  { status, message, code }: Failure,
  request: Pick<ModelRequest, "messages">,
): FilesRefusal | undefined {
  if (status === undefined || !statuses.has(status)) return undefined;
  const text = `${code} ${message}`;
  const files = filesOf(request);
  // A safety refusal can be about one picture. The person must see it.
  if (files.inputs.size === 0 || /safety|policy|context length/i.test(text)) return undefined;
  const refusal = parseRefusal(text, files);
  if (files.urls.length === 0) return refusal;
  const isAboutUrl = urlPattern.test(text) || files.urls.some((url) => text.includes(new URL(url).hostname));
  // The content of a URL is unknown to this server and may be the cause, so URLs are left out first.
  return isAboutUrl || isAboutPictures(refusal) ? { of: "addresses" } : refusal;
}

function parseRefusal(text: string, files: RequestFiles): FilesRefusal | undefined {
  const most = files.pictures === 0 ? undefined : parsePictureLimit(text, files.pictures);
  if (most !== undefined) return most === 0 ? { of: "kind", input: "image" } : { of: "pictures", most };
  const isOne = onePattern.test(text);
  if (!isOne && !kindPattern.test(text)) return undefined;
  const input = inputNames.find(([name, pattern]) => files.inputs.has(name) && pattern.test(text))?.[0];
  if (isOne && input !== undefined && !/string/i.test(text)) return { of: "one", input };
  const refused = input ?? refusedByTextOnlyServer(text, files.inputs);
  return refused === undefined ? undefined : { of: "kind", input: refused };
}

/** How many pictures the model accepts, if the message is about that. Without a number in it, half of those that were sent. */
function parsePictureLimit(text: string, sent: number): number | undefined {
  const match = countPattern.exec(text);
  if (match === null) return undefined;
  const number = Number(match.groups?.atMost ?? match.groups?.limit ?? match.groups?.before ?? Infinity);
  return number < sent ? number : Math.floor(sent / 2);
}

/** Servers that support only text answer that the content must be a string. */
function refusedByTextOnlyServer(text: string, inputs: ReadonlySet<ModelInput>): ModelInput | undefined {
  return /string/i.test(text) && /content|messages/i.test(text) ? [...inputs][0] : undefined;
}

function isAboutPictures(refusal: FilesRefusal | undefined): boolean {
  return refusal !== undefined && "input" in refusal && refusal.input === "image";
}

/** The files of a request: their kinds, the number of pictures, and the URLs. */
export type RequestFiles = { inputs: ReadonlySet<ModelInput>; pictures: number; urls: string[] };

const mediaTypes: [ModelInput, RegExp][] = [
  ["image", /^image\//],
  ["pdf", /^application\/pdf$/],
  ["audio", /^audio\//],
];

export function filesOf({ messages }: Pick<ModelRequest, "messages">): RequestFiles {
  const files = messages.flatMap((message) =>
    message.role === "user" ? message.parts.filter((part) => part.type === "file") : [],
  );
  const ofType = (pattern: RegExp) => files.filter(({ mediaType }) => pattern.test(mediaType));
  return {
    inputs: new Set(mediaTypes.flatMap(([input, pattern]) => (ofType(pattern).length > 0 ? [input] : []))),
    pictures: ofType(/^image\//).length,
    urls: files.flatMap(({ data }) => (/^https?:\/\//i.test(data) && URL.canParse(data) ? [data] : [])),
  };
}
