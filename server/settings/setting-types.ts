import { isIP } from "node:net";
import * as z from "zod/mini";
import type { ModelInput } from "#contract/endpoints/models.ts";

/**
 * The types that settings have. Each parses the text of an environment variable. An error message continues the
 * sentence that begins with the name of the variable, and says what to write there.
 */

export function text() {
  return z.string();
}

/** Error messages never repeat a secret. */
export function secret({ minLength = 1 } = {}) {
  const error = ({ input }: { input?: unknown }) =>
    `must have at least ${minLength} characters; it has ${String(input).length}.`;
  return z.string().check(z.minLength(minLength, { error }));
}

/** The name of an HTTP header. */
export function headerName() {
  return z.string().check(
    z.regex(/^[\w!#$%&'*+.^`|~-]+$/, {
      error: ({ input }) =>
        `must be the name of a header such as X-Forwarded-Email; it is "${String(input)}".`,
    }),
  );
}

export function secretMatching(pattern: RegExp, description: string) {
  return z.string().check(z.regex(pattern, { error: `must be ${description}.` }));
}

/** An integer from `min` to `max`. The setting's value is that number times `unit`. */
export function integer({ min, max, unit = 1 }: { min: number; max: number; unit?: number }) {
  return parsedText(
    (digits) => {
      const number = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
      return number >= min && number <= max ? number * unit : undefined;
    },
    (input) => `must be a whole number from ${min} to ${max}; it is "${input}".`,
  );
}

/** An integer from 0. 0 means that there is no limit: the setting's value is then `undefined`. */
export function integerOrUnlimited(range: { max: number; unit: number }) {
  return z.pipe(
    integer({ min: 0, ...range }),
    z.transform((number) => (number === 0 ? undefined : number)),
  );
}

export function onOrOff() {
  return z.stringbool({
    truthy: ["on", "true", "1", "yes"],
    falsy: ["off", "false", "0", "no"],
    error: ({ input }) => `must be on or off; it is "${String(input)}".`,
  });
}

export function oneOf<const T extends string>(values: readonly T[]) {
  return z.enum(values, {
    error: ({ input }) => `must be one of ${values.join(", ")}; it is "${String(input)}".`,
  });
}

/** A URL without slashes at its end, so that paths can be appended. */
export function url(schemes: readonly string[] = ["http", "https"]) {
  return z
    .url({
      protocol: new RegExp(`^(?:${schemes.join("|")})$`),
      error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}.`,
    })
    .check(z.overwrite((address) => address.replace(/\/+$/, "")));
}

/** A proxy, as other programs write it too: without a scheme it is reached over HTTP. Errors do not repeat its password. */
export function proxyUrl() {
  return parsedText(
    (address) => {
      const url = /^\w+:\/\//.test(address) ? address : `http://${address}`;
      return /^https?:\/\/[^/]/i.test(url) && hasReadablePassword(url) ? url.replace(/\/+$/, "") : undefined;
    },
    () =>
      "must be the URL of an HTTP proxy, such as http://proxy.example.com:3128. Special characters of its user and password are percent-encoded, such as %25 for %.",
  );
}

/** Whether it is a URL, with a user and password that can be decoded if there are any. */
function hasReadablePassword(url: string): boolean {
  try {
    const { username, password } = new URL(url);
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** A URL as it was written, or `off`, which gives `undefined`. */
export function urlOrOff() {
  return z.pipe(
    z.string(),
    z.transform((address) => (address === "off" ? undefined : address)),
  );
}

/** Entries separated by commas. `parse` returns `undefined` for a wrong one. */
export function listOf<T>(parse: (entry: string) => T | undefined, examples: string) {
  return z.pipe(
    z.pipe(z.string(), z.transform(splitAtCommas)),
    z.array(parsedText(parse, (entry) => `must be ${examples}, separated by commas; "${entry}" is not one.`)),
  );
}

/** Text that `parse` turns into a value. It returns `undefined` where `errorMessage` is to be shown. */
function parsedText<T>(parse: (input: string) => T | undefined, errorMessage: (input: string) => string) {
  return z.pipe(
    z.string(),
    z.transform((input, context): T => {
      const value = parse(input);
      if (value !== undefined) return value;
      context.issues.push({ code: "custom", input, message: errorMessage(input) });
      return z.NEVER;
    }),
  );
}

function splitAtCommas(entries: string): string[] {
  return entries
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** `host` or `host:port` in the form that URLs have it; `undefined` for anything else. */
export function parseHost(entry: string): string | undefined {
  const port = /:(\d+)$/.exec(entry)?.[1];
  // The port is parsed apart from the URL, which would drop port 80.
  const address = `http://${port === undefined ? entry : entry.slice(0, -port.length - 1)}`;
  if (!/^[^\s/@?#*;\\]+$/.test(entry) || !URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.replace(/\.$/, "");
  return port === undefined ? host : `${host}:${Number(port)}`;
}

/** A network, such as 10.0.0.0/8. */
export type NetworkRange = { address: string; prefix: number; family: "ipv4" | "ipv6" };

/** An address, which is a network of one, or a network in CIDR form; `undefined` for anything else. */
export function parseNetwork(entry: string): NetworkRange | undefined {
  const [address = "", bits, ...rest] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const most = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  // A prefix of 0 would trust everybody.
  if (prefix < 1 || prefix > most) return undefined;
  return { address, prefix, family: version === 4 ? "ipv4" : "ipv6" };
}

/** Which kinds of files the matching models accept. */
export type ModelInputRule = {
  matches(modelId: string): boolean;
  reads: ModelInput[];
  /** The most images in one request; absent if no limit is set. */
  pictures?: number;
};

/** Parses `gpt-5*=image:8+pdf`. A rule without a model name is for all models. */
export function parseModelInputRule(entry: string): ModelInputRule | undefined {
  const equals = entry.lastIndexOf("=");
  const [name, list] =
    equals === -1 ? ["*", entry] : [entry.slice(0, equals).trim(), entry.slice(equals + 1)];
  const kinds = list.split("+").map((kind) => kind.trim());
  if (name === "" || !kinds.every((kind) => /^(?:text|image(?::[1-9]\d{0,3})?|pdf|audio)$/.test(kind)))
    return undefined;
  const pictures = kinds.map((kind) => Number(kind.split(":")[1])).find((count) => count > 0);
  const literals = name.split("*").map((literal) => RegExp.escape(literal));
  const pattern = new RegExp(`^${literals.join(".*")}$`, "i");
  return {
    matches: (modelId) => pattern.test(modelId),
    reads: kinds.map((kind) => kind.split(":")[0]).filter((kind) => kind !== "text") as ModelInput[],
    ...(pictures === undefined ? {} : { pictures }),
  };
}
