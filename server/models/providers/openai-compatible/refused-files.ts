import type { ModelInput } from "#contract/endpoints/models.ts";
import type { FilesRefusal, ModelRequest } from "../../model.ts";
import type { Failure } from "./failure.ts";

/** How servers say that they take no pictures, PDFs or sound; each has words of its own, and some a 500 for it. */
const names: [ModelInput, RegExp][] = [
  ["image", /image|vision|visual|multi-?modal|mmproj|picture/i],
  ["pdf", /\bfiles?\b|pdf|document|input_file/i],
  ["audio", /audio|sound/i],
];
const ofTheKind =
  /not? (?:\w+ ){0,3}(?:support|accept|allow|available|a (?:multi-?modal|vision)|able|capable|permit)|unsupported|does ?n[o']t|cannot|can't|no endpoints found|missing data required|invalid (?:content|part|value|type|message)|unknown (?:part|variant|content)|expected (?:a )?string|must be a string|only (?:supports? )?text/i;
/** What is said of the bytes of one of them, and not of the model. */
const ofOne =
  /uploaded an unsupported|unsupported (?:image|picture|media|mime|file|audio)?[ _]?(?:formats?|types?|encoding)\b|(?:represent|be|is|was|are) (?:not )?(?:an? )?valid|not (?:an? )?valid|not valid|invalid[ _](?:image|pdf|file|audio|base64|data)(?![ _]input)|image_parse_error|cannot identify|(?:could|can|did)(?: ?not|n't) (?:be )?(?:process|decode|read|open|pars|load)|(?:fail(?:ed|ure)|unable|error)(?: to| while| in)? (?:process|decod|read|open|pars|load)|corrupt|damaged|malformed|truncated|too (?:large|big|small|long)|exceeds? .{0,40}(?:bytes|[km]i?b\b|pixels|size|dimension)|(?:minimum|maximum) (?:size|dimension)/i;
/** Said of an address that the provider was to fetch. */
const ofAddress =
  /download|fetch|retriev|\burls?\b|invalid_image_url|time(?:d )?out|not reach|resolve|https? (?:only|address)/i;
const ofNumber =
  /at most (?<atMost>\d+) (?:image|picture)|too many (?:image|picture)|(?:image|picture)s?\b.{0,60}\b(?:exceeds?|limit(?:ed)?(?: to| of)?|up to|maximum(?: of)?|max\.?) (?:the (?:maximum|limit) )?(?:number )?(?:of )?(?<limit>\d+)(?! ?[km]?i?b\b| ?(?:px|pixels|x\d))|(?:limit|maximum|max|up to|more than|exceeds?)\b.{0,30}?(?<before>\d+) (?:image|picture)s/i;
const statuses = new Set([400, 404, 413, 415, 422, 500, 501]);

/** Which of a request's files its provider refused; `undefined` where it refused for anything else. */
export function refusedFiles(
  { status, says, code }: Failure,
  request: Pick<ModelRequest, "messages">,
): FilesRefusal | undefined {
  if (status === undefined || !statuses.has(status)) return undefined;
  const text = `${code} ${says}`;
  const given = givenIn(request);
  // Unsafe is said of one picture too, and is for the person to hear.
  if (given.inputs.size === 0 || /safety|policy|context length/i.test(text)) return undefined;
  const refusal = refusalIn(text, given);
  if (given.addresses.length === 0) return refusal;
  const isOfAddress =
    ofAddress.test(text) || given.addresses.some((address) => text.includes(new URL(address).hostname));
  // What stands elsewhere was seen by nobody: it is left out before anything else is thought of the model.
  return isOfAddress || isOfPictures(refusal) ? { of: "addresses" } : refusal;
}

function refusalIn(text: string, given: Given): FilesRefusal | undefined {
  const most = given.pictures === 0 ? undefined : numberIn(text, given.pictures);
  if (most !== undefined) return most === 0 ? { of: "kind", input: "image" } : { of: "pictures", most };
  const isOne = ofOne.test(text);
  if (!isOne && !ofTheKind.test(text)) return undefined;
  const input = names.find(([name, words]) => given.inputs.has(name) && words.test(text))?.[0];
  if (isOne && input !== undefined && !/string/i.test(text)) return { of: "one", input };
  const refused = input ?? wordsAlone(text, given.inputs);
  return refused === undefined ? undefined : { of: "kind", input: refused };
}

/** How many pictures are taken, where that is what is said; where no number stands there, half of what was given. */
function numberIn(text: string, given: number): number | undefined {
  const said = ofNumber.exec(text);
  if (said === null) return undefined;
  const number = Number(said.groups?.atMost ?? said.groups?.limit ?? said.groups?.before ?? Infinity);
  return number < given ? number : Math.floor(given / 2);
}

/** Servers that know words alone say only that content is to be a string. */
function wordsAlone(text: string, inputs: ReadonlySet<ModelInput>): ModelInput | undefined {
  return /string/i.test(text) && /content|messages/i.test(text) ? [...inputs][0] : undefined;
}

function isOfPictures(refusal: FilesRefusal | undefined): boolean {
  return refusal !== undefined && "input" in refusal && refusal.input === "image";
}

/** What a request has of each kind of file. */
export type Given = { inputs: ReadonlySet<ModelInput>; pictures: number; addresses: string[] };

const types: [ModelInput, RegExp][] = [
  ["image", /^image\//],
  ["pdf", /^application\/pdf$/],
  ["audio", /^audio\//],
];

export function givenIn({ messages }: Pick<ModelRequest, "messages">): Given {
  const files = messages.flatMap((message) =>
    message.role === "user" ? message.parts.filter((part) => part.type === "file") : [],
  );
  const isOf = (pattern: RegExp) => files.filter(({ mediaType }) => pattern.test(mediaType));
  return {
    inputs: new Set(types.flatMap(([input, pattern]) => (isOf(pattern).length > 0 ? [input] : []))),
    pictures: isOf(/^image\//).length,
    addresses: files.flatMap(({ data }) => (/^https?:\/\//i.test(data) && URL.canParse(data) ? [data] : [])),
  };
}
