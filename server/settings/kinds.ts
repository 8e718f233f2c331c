import type { ModelInput } from "#contract/endpoints/models.ts";
import { originOf } from "./origin.ts";

/** The kinds of settings: how each is read from its text, and what is said when it is wrong. */
export type Setting<T> = {
  about: string;
  /** What `.env.example` shows behind the equals sign. */
  example: string;
  read(text: string | undefined): { value: T } | { mistake: string };
};

export function settingText(options: { about: string; absent?: string }): Setting<string | undefined> {
  return {
    about: options.about,
    example: options.absent ?? "",
    read: (text) => ({ value: text ?? options.absent }),
  };
}

/** A secret: never printed, not even when it is wrong. */
export function secretText(options: {
  about: string;
  min?: number;
  pattern?: RegExp;
  patternName?: string;
}): Setting<string | undefined> {
  const { about, min = 1, pattern, patternName } = options;
  return {
    about,
    example: "",
    read(text) {
      if (text === undefined) return { value: undefined };
      if (text.length < min)
        return { mistake: `must have at least ${min} characters; it has ${text.length}.` };
      if (pattern !== undefined && !pattern.test(text)) return { mistake: `must be ${patternName}.` };
      return { value: text };
    },
  };
}

export function wholeNumber(options: {
  about: string;
  min: number;
  max: number;
  absent: number;
}): Setting<number> {
  const { about, min, max, absent } = options;
  return {
    about,
    example: String(absent),
    read(text) {
      if (text === undefined) return { value: absent };
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return number >= min && number <= max
        ? { value: number }
        : { mistake: `must be a whole number from ${min} to ${max}; it is "${text}".` };
    },
  };
}

export function flag(options: { about: string; absent: boolean }): Setting<boolean> {
  const { about, absent } = options;
  return {
    about,
    example: absent ? "on" : "off",
    read(text) {
      if (text === undefined) return { value: absent };
      if (/^(on|true|1|yes)$/i.test(text)) return { value: true };
      if (/^(off|false|0|no)$/i.test(text)) return { value: false };
      return { mistake: `must be on or off; it is "${text}".` };
    },
  };
}

export function choice<const T extends string>(options: {
  about: string;
  of: readonly T[];
  absent: T;
}): Setting<T> {
  const { about, of, absent } = options;
  return {
    about,
    example: absent,
    read(text) {
      if (text === undefined) return { value: absent };
      const found = of.find((word) => word === text);
      return found === undefined
        ? { mistake: `must be one of ${of.join(", ")}; it is "${text}".` }
        : { value: found };
    },
  };
}

/** An address without a slash at its end. */
export function url(options: { about: string; schemes?: string[] }): Setting<string | undefined> {
  const { about, schemes = ["http:", "https:"] } = options;
  return {
    about,
    example: "",
    read(text) {
      if (text === undefined) return { value: undefined };
      const parsed = URL.canParse(text) ? new URL(text) : undefined;
      if (parsed === undefined || !schemes.includes(parsed.protocol)) {
        return {
          mistake: `must be an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}.`,
        };
      }
      return { value: text.replace(/\/+$/, "") };
    },
  };
}

/** A list of web origins. */
export function origin(options: { about: string }): Setting<string[]> {
  return listOf(options.about, originOf, "origins such as https://app.example.com");
}

/** A list of hosts, each with or without a port; they come as an address writes them. */
export function hosts(options: { about: string }): Setting<string[]> {
  return listOf(options.about, hostOf, "hosts such as files.lan or files.lan:9000");
}

/** What `read` takes, as it gives it, separated by commas. */
function listOf(about: string, read: (entry: string) => string | undefined, what: string): Setting<string[]> {
  return {
    about,
    example: "",
    read(text = "") {
      const entries = text
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "");
      const wrong = entries.find((entry) => read(entry) === undefined);
      return wrong === undefined
        ? { value: entries.map((entry) => read(entry) ?? entry) }
        : { mistake: `must be ${what}, separated by commas; "${wrong}" is not one.` };
    },
  };
}

function hostOf(entry: string): string | undefined {
  const port = /:(\d+)$/.exec(entry)?.[1];
  // The scheme without a usual port, so that a named one is kept.
  const address = `http://${port === undefined ? entry : entry.slice(0, -port.length - 1)}`;
  if (!/^[^\s/@?#*;\\]+$/.test(entry) || !URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.replace(/\.$/, "");
  return port === undefined ? host : `${host}:${Number(port)}`;
}

/** Which files models take as they are, for those that a name matches. */
export type ReadsRule = {
  matches(id: string): boolean;
  reads: ModelInput[];
  /** How many pictures one request may have, where it is said. */
  pictures?: number;
};

/** What models read: `gpt-5*=image:8+pdf,llama3.2=text`; without a name, all of them. */
export function modelReads(options: { about: string }): Setting<ReadsRule[]> {
  return {
    about: options.about,
    example: "",
    read(text) {
      const entries = (text ?? "")
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "");
      const wrong = entries.find((entry) => readsRuleOf(entry) === undefined);
      return wrong === undefined
        ? { value: entries.flatMap((entry) => readsRuleOf(entry) ?? []) }
        : {
            mistake: `must be lists such as gpt-5*=image:8+pdf or llama3.2=text, separated by commas; "${wrong}" is not one.`,
          };
    },
  };
}

function readsRuleOf(entry: string): ReadsRule | undefined {
  const at = entry.lastIndexOf("=");
  const [name, list] = at === -1 ? ["*", entry] : [entry.slice(0, at).trim(), entry.slice(at + 1)];
  const kinds = list.split("+").map((kind) => kind.trim());
  if (name === "" || !kinds.every((kind) => /^(?:text|image(?::[1-9]\d{0,3})?|pdf|audio)$/.test(kind)))
    return undefined;
  const pictures = kinds.map((kind) => Number(kind.split(":")[1])).find((count) => count > 0);
  const parts = name.split("*").map((part) => RegExp.escape(part));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "i");
  return {
    matches: (id) => pattern.test(id),
    reads: kinds.map((kind) => kind.split(":")[0]).filter((kind) => kind !== "text") as ModelInput[],
    ...(pictures === undefined ? {} : { pictures }),
  };
}
