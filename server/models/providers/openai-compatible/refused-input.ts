import type { ModelInput } from "#contract/models.ts";
import type { ModelRequest } from "../../model.ts";
import type { Failure } from "./failure.ts";

/** How servers say that a model takes no pictures, PDFs or sound; each has words of its own, and some a 500 for it. */
const words: [ModelInput, RegExp][] = [
  ["image", /image|vision|visual|multi-?modal|mmproj/i],
  ["pdf", /\bfiles?\b|pdf|document|input_file/i],
  ["audio", /audio|sound/i],
];
const refusal =
  /not? (?:\w+ ){0,3}(?:support|accept|allow|available|a (?:multi-?modal|vision)|able|capable|valid|permit)|unsupported|does ?n[o']t|cannot|can't|no endpoints found|missing data required|at most 0|invalid (?:content|part|value|type|message)|unknown (?:part|variant|content)|expected (?:a )?string|must be a string|only (?:supports? )?text/i;
const statuses = new Set([400, 404, 415, 422, 500, 501]);

/** The kind of file for which a model refused a request that has such files; `undefined` where it was for anything else. */
export function refusedInput({ status, says, code }: Failure, request: ModelRequest): ModelInput | undefined {
  if (status === undefined || !statuses.has(status)) return undefined;
  const text = `${code} ${says}`;
  // Too large, broken or unsafe is said of one picture, not of all.
  if (/too (?:large|big|many|long)|exceed|corrupt|safety|policy|context length/i.test(text)) return undefined;
  if (!refusal.test(text)) return undefined;
  const given = inputsOf(request);
  return words.find(([input, name]) => given.has(input) && name.test(text))?.[0] ?? listRefused(text, given);
}

/** Servers that know words alone say only that content is to be a string. */
function listRefused(text: string, given: ReadonlySet<ModelInput>): ModelInput | undefined {
  return /string/i.test(text) && /content|messages/i.test(text) ? [...given][0] : undefined;
}

function inputsOf({ messages }: ModelRequest): ReadonlySet<ModelInput> {
  const types = messages.flatMap((message) =>
    message.role === "user"
      ? message.parts.flatMap((part) => (part.type === "file" ? [part.mediaType] : []))
      : [],
  );
  const inputs: [ModelInput, RegExp][] = [
    ["image", /^image\//],
    ["pdf", /^application\/pdf$/],
    ["audio", /^audio\//],
  ];
  return new Set(inputs.flatMap(([input, type]) => (types.some((one) => type.test(one)) ? [input] : [])));
}
