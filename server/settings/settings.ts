import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { S3Place } from "#storage/blobs/s3-place.ts";
import { missingOfBucket } from "./bucket.ts";
import { logLevels, type LogLevel } from "../lib/logger.ts";
import type { Most } from "../lib/concurrency-limit.ts";
import {
  choice,
  flag,
  hosts,
  modelReads,
  origin,
  secretText,
  settingText,
  url,
  wholeNumber,
  type ReadsRule,
  type Setting,
} from "./kinds.ts";

const hourMs = 3_600_000;
const MiB = 1024 * 1024;
const dayMs = 24 * hourMs;

/**
 * Every setting there is, in one list. `.env.example` is made from it (a test compares), and a wrong one stops the
 * start with a message that lists all that are wrong.
 */
export const settings = {
  PORT: wholeNumber({
    min: 0,
    max: 65_535,
    absent: 3000,
    about: "The port to listen on. 0 takes any free one.",
  }),
  HOST: settingText({
    absent: "127.0.0.1",
    about: "The address to listen on. 0.0.0.0 lets other machines in.",
  }),
  PUBLIC_URL: url({
    about: "The address people type, where it differs from http://HOST:PORT (behind a proxy).",
  }),
  TRUST_PROXY: wholeNumber({
    min: 0,
    max: 10,
    absent: 0,
    about:
      "How many proxies stand in front and set X-Forwarded-For. With 0, everyone behind a proxy shares one address and its limits.",
  }),
  DATA_DIR: settingText({ absent: "./data", about: "The folder that holds the database and the secret." }),
  DATABASE_URL: url({
    schemes: ["postgres:", "postgresql:"],
    about: "A PostgreSQL database, postgres://user:password@host/name. Absent: SQLite in DATA_DIR.",
  }),
  DATABASE_DIRECT_URL: url({
    schemes: ["postgres:", "postgresql:"],
    about:
      "The same database without a pooler between, where DATABASE_URL leads through one in transaction mode (PgBouncer).",
  }),
  OPENAI_API_KEY: secretText({ about: "The key of an OpenAI-compatible model server, where it wants one." }),
  OPENAI_BASE_URL: url({
    about: "The address of an OpenAI-compatible model server, such as http://127.0.0.1:8080/v1.",
  }),
  OPENAI_MODEL: settingText({ about: "The model to use. Absent: the first that the server lists." }),
  OLLAMA_URL: settingText({
    absent: "http://127.0.0.1:11434",
    about: "Where an Ollama is looked for when no model server is set; off looks nowhere.",
  }),
  MODEL_READS: modelReads({
    about:
      "Which files models read as they are, where the server guesses wrong: gpt-5*=image+pdf,llama3.2=text. The kinds are image, pdf, audio and text, image:8 where one request may have 8 pictures; without a name it counts for all models.",
  }),
  MODEL_FILE_CHARACTERS: wholeNumber({
    min: 1_000,
    max: 10_000_000,
    absent: 200_000,
    about:
      "How much text of attached files one question may bring along, in characters; four are about a token. A model that says how much it holds gets no more than half of that.",
  }),
  PARLANCE_SECRET: secretText({
    min: 32,
    about:
      "Signs tokens; at least 32 characters. Absent: made once and kept in DATA_DIR. Several servers need the same.",
  }),
  PARLANCE_API_KEY: secretText({
    pattern: /^sk_aui_proj_[A-Za-z0-9_-]{20,}$/,
    patternName: "sk_aui_proj_ and at least 20 letters or digits",
    about: "A first API key for your own backend: sk_aui_proj_…",
  }),
  PARLANCE_BASE_URL: url({
    about: "The chat service's public address as the web app sees it. Absent: the web app's own origin.",
  }),
  PARLANCE_ANONYMOUS: flag({
    absent: true,
    about: "Whether people may use the service without an account: on or off.",
  }),
  PARLANCE_ALLOWED_ORIGINS: origin({
    about:
      "Origins whose pages may call the service, separated by commas, beside those that cli origin allow puts on a project's list. Where there are none, every origin may (no cookie ever counts for them).",
  }),
  PARLANCE_THREAD_TOOLS: flag({
    absent: true,
    about:
      "Whether assistants may look through the earlier threads of whoever asks them: on or off. With a model of somebody else's, the passages that it finds go there.",
  }),
  PARLANCE_ASK_PERSON: flag({
    absent: true,
    about:
      "Whether the assistant may ask people questions of its own accord, which they answer in a form: on or off.",
  }),
  KEEP_SESSIONS_DAYS: wholeNumber({
    min: 1,
    max: 3_650,
    absent: 7,
    about:
      "How many days a sign-in that is over is kept; with the last one goes an anonymous visitor who left nothing behind.",
  }),
  KEEP_EVENTS_DAYS: wholeNumber({
    min: 0,
    max: 36_500,
    absent: 365,
    about: "How many days the events that clients of the protocol record are kept. 0 keeps them for ever.",
  }),
  KEEP_RUN_LOGS_HOURS: wholeNumber({
    min: 1,
    max: 8_760,
    absent: 1,
    about:
      "How many hours the log of a finished answer is kept, for readers who were away. The answer itself stays.",
  }),
  RUNS_PER_VISITOR: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 32,
    about:
      "How many answers may be written at once for one visitor, over all servers. API keys are not counted.",
  }),
  RUNS_PER_ADDRESS: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 256,
    about: "How many answers may be written at once for one network address, by each server.",
  }),
  STREAMS_PER_VISITOR: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 64,
    about:
      "How many streams one visitor may hold open at once, at each server. A browser needs one, however many tabs it has.",
  }),
  STREAMS_PER_ADDRESS: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 1024,
    about: "How many streams one network address may hold open at once, at each server.",
  }),
  PDF_PROCESSES: wholeNumber({
    min: 1,
    max: 64,
    absent: 2,
    about: "How many PDFs are read at once, each by a process that may take 512 MiB for a minute.",
  }),
  PDFS_PER_VISITOR: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 4,
    about: "How many PDFs may be read or wait for it at once for one visitor, by each server.",
  }),
  PDFS_PER_ADDRESS: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 16,
    about: "How many PDFs may be read or wait for it at once for one network address, by each server.",
  }),
  UPLOADS_PER_VISITOR: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 12,
    about: "How many files of one visitor may be on their way to each server at once.",
  }),
  UPLOADS_PER_ADDRESS: wholeNumber({
    min: 1,
    max: 1_000_000,
    absent: 100,
    about: "How many files may be on their way from one network address to each server at once.",
  }),
  BODIES_MIB: wholeNumber({
    min: 48,
    max: 1_000_000,
    absent: 256,
    about:
      "How much the bodies of requests that are being read may take in each server's memory, in MiB. Files that are uploaded are not counted.",
  }),
  BODIES_PER_ADDRESS_MIB: wholeNumber({
    min: 48,
    max: 1_000_000,
    absent: 64,
    about: "How much of that the bodies from one network address may take, in MiB.",
  }),
  PDF_CACHE_MIB: wholeNumber({
    min: 16,
    max: 1_000_000_000,
    absent: 1_024,
    about:
      "How much the pages that were drawn of PDFs may take where files are kept, in MiB. They go after a day in any case.",
  }),
  FETCH_URLS: flag({
    absent: true,
    about:
      "Whether the server reads addresses that people give it, such as that of a PDF, from the public internet: on or off.",
  }),
  FETCH_ALLOWED_HOSTS: hosts({
    about:
      "Hosts of your own network that people may have read all the same, as host or host:port, separated by commas.",
  }),
  FILE_SIZE_MIB: wholeNumber({
    min: 1,
    max: 5_120,
    absent: 25,
    about: "The largest file that may be attached, in MiB.",
  }),
  FILES_PER_PERSON_MIB: wholeNumber({
    min: 0,
    max: 1_000_000_000,
    absent: 1_024,
    about: "How much one person may keep in files, in MiB. 0 sets no bound.",
  }),
  FILES_PRIVATE: flag({
    absent: false,
    about:
      "Whether the address of a file opens it for 15 minutes only: messages are then listed with fresh ones. on or off.",
  }),
  FILES_ORIGIN: url({
    about:
      "An origin of its own for files, such as https://files.example.com, which leads to this server too. Absent: that of the service.",
  }),
  S3_ENDPOINT: url({
    about:
      "The address of an S3-compatible service to keep files in, such as https://s3.eu-central-1.amazonaws.com; browsers must reach it too. Absent: the folder files in DATA_DIR.",
  }),
  S3_BUCKET: settingText({ about: "The bucket, which must be there." }),
  S3_REGION: settingText({ absent: "us-east-1", about: "The region that the service goes by." }),
  S3_ACCESS_KEY_ID: secretText({ about: "The key that may read, write, list and delete in the bucket." }),
  S3_SECRET_ACCESS_KEY: secretText({ about: "The secret of that key." }),
  S3_STYLE: choice({
    of: ["path", "virtual"],
    absent: "path",
    about:
      "How the bucket is named in addresses: path (endpoint/bucket/key) or virtual (bucket.endpoint/key).",
  }),
  IMPORT_MEGABYTES: wholeNumber({
    min: 1,
    max: 100_000,
    absent: 512,
    about:
      "How large a file may be that somebody brings threads in with, in megabytes. cli import takes any.",
  }),
  LOG_LEVEL: choice({
    of: logLevels,
    absent: "info",
    about: "How much is logged to standard error: silent, error, warn, info, debug.",
  }),
} satisfies Record<string, Setting<unknown>>;

export type Config = {
  port: number;
  host: string;
  publicUrl: string | undefined;
  trustProxy: number;
  dataDir: string;
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  openai: { apiKey: string | undefined; baseUrl: string | undefined; model: string | undefined };
  ollamaUrl: string | undefined;
  /** What the operator says that models read, and how much text of files one request may have. */
  modelReads: ReadsRule[];
  modelFileCharacters: number;
  secret: string | undefined;
  apiKey: string | undefined;
  baseUrl: string | undefined;
  anonymous: boolean;
  threadTools: boolean;
  allowedOrigins: string[];
  /** Whether answers may use the tool `ask_person`. */
  askPerson: boolean;
  /** How long what is over is kept, in milliseconds. */
  keep: { sessionsMs: number; eventsMs: number | undefined; runLogsMs: number };
  /** What may be under way at once. */
  most: { runs: Most; streams: Most; pdfs: Most; uploads: Most };
  /** The memory for the bodies of requests. */
  bodies: { totalBytes: number; perAddressBytes: number };
  pdf: { processes: number; cacheBytes: number };
  fetch: { enabled: boolean; allowedHosts: string[] };
  files: {
    maxBytes: number;
    /** What one person may keep; `undefined`: any amount. */
    quotaBytes: number | undefined;
    /** Whether every read needs a signature. */
    signedReads: boolean;
    /** Where files are read and sent to, where that is another origin than the service's. */
    origin: string | undefined;
    /** The bucket; `undefined`: the data folder. */
    s3: S3Place | undefined;
  };
  /** What an import may have, in bytes. */
  importBytes: number;
  logLevel: LogLevel;
};

/** Some settings are wrong; the message lists every one with its remedy. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * The settings of this process: the environment, and for what is absent there `.env` in `folder`. Paths are relative
 * to `folder`. Throws `ConfigError`.
 */
export function readConfig(folder: string, environment: NodeJS.ProcessEnv = process.env): Config {
  const given = { ...readDotEnv(join(folder, ".env")), ...withoutEmpty(environment) };
  const mistakes: string[] = [];
  const value = <T>(name: keyof typeof settings, setting: Setting<T>): T => {
    const outcome = setting.read(given[name]);
    if ("value" in outcome) return outcome.value;
    mistakes.push(`  ${name} ${outcome.mistake}`);
    return undefined as T;
  };
  function readS3(): S3Place | undefined {
    const style = value("S3_STYLE", settings.S3_STYLE);
    const region = value("S3_REGION", settings.S3_REGION)!;
    const endpoint = value("S3_ENDPOINT", settings.S3_ENDPOINT);
    const [bucket, accessKeyId, secretAccessKey] = (
      ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const
    ).map((name) => value(name, settings[name]));
    if (endpoint && bucket && accessKeyId && secretAccessKey)
      return { endpoint, bucket, region, accessKeyId, secretAccessKey, style };
    if (!mistakes.some((mistake) => mistake.startsWith("  S3_"))) mistakes.push(...missingOfBucket(given));
    return undefined;
  }
  const ollama = value("OLLAMA_URL", settings.OLLAMA_URL);
  const eventDays = value("KEEP_EVENTS_DAYS", settings.KEEP_EVENTS_DAYS);
  const config: Config = {
    port: value("PORT", settings.PORT),
    host: value("HOST", settings.HOST)!,
    publicUrl: value("PUBLIC_URL", settings.PUBLIC_URL),
    trustProxy: value("TRUST_PROXY", settings.TRUST_PROXY),
    dataDir: resolve(folder, value("DATA_DIR", settings.DATA_DIR)!),
    databaseUrl: value("DATABASE_URL", settings.DATABASE_URL),
    databaseDirectUrl: value("DATABASE_DIRECT_URL", settings.DATABASE_DIRECT_URL),
    openai: {
      apiKey: value("OPENAI_API_KEY", settings.OPENAI_API_KEY),
      baseUrl: value("OPENAI_BASE_URL", settings.OPENAI_BASE_URL),
      model: value("OPENAI_MODEL", settings.OPENAI_MODEL),
    },
    ollamaUrl: ollama === "off" ? undefined : ollama,
    modelReads: value("MODEL_READS", settings.MODEL_READS),
    modelFileCharacters: value("MODEL_FILE_CHARACTERS", settings.MODEL_FILE_CHARACTERS),
    secret: value("PARLANCE_SECRET", settings.PARLANCE_SECRET),
    apiKey: value("PARLANCE_API_KEY", settings.PARLANCE_API_KEY),
    baseUrl: value("PARLANCE_BASE_URL", settings.PARLANCE_BASE_URL),
    anonymous: value("PARLANCE_ANONYMOUS", settings.PARLANCE_ANONYMOUS),
    threadTools: value("PARLANCE_THREAD_TOOLS", settings.PARLANCE_THREAD_TOOLS),
    allowedOrigins: value("PARLANCE_ALLOWED_ORIGINS", settings.PARLANCE_ALLOWED_ORIGINS),
    askPerson: value("PARLANCE_ASK_PERSON", settings.PARLANCE_ASK_PERSON),
    keep: {
      sessionsMs: value("KEEP_SESSIONS_DAYS", settings.KEEP_SESSIONS_DAYS) * dayMs,
      eventsMs: eventDays === 0 ? undefined : eventDays * dayMs,
      runLogsMs: value("KEEP_RUN_LOGS_HOURS", settings.KEEP_RUN_LOGS_HOURS) * hourMs,
    },
    most: {
      runs: {
        perVisitor: value("RUNS_PER_VISITOR", settings.RUNS_PER_VISITOR),
        perAddress: value("RUNS_PER_ADDRESS", settings.RUNS_PER_ADDRESS),
      },
      streams: {
        perVisitor: value("STREAMS_PER_VISITOR", settings.STREAMS_PER_VISITOR),
        perAddress: value("STREAMS_PER_ADDRESS", settings.STREAMS_PER_ADDRESS),
      },
      pdfs: {
        perVisitor: value("PDFS_PER_VISITOR", settings.PDFS_PER_VISITOR),
        perAddress: value("PDFS_PER_ADDRESS", settings.PDFS_PER_ADDRESS),
      },
      uploads: {
        perVisitor: value("UPLOADS_PER_VISITOR", settings.UPLOADS_PER_VISITOR),
        perAddress: value("UPLOADS_PER_ADDRESS", settings.UPLOADS_PER_ADDRESS),
      },
    },
    bodies: {
      totalBytes: value("BODIES_MIB", settings.BODIES_MIB) * MiB,
      perAddressBytes: value("BODIES_PER_ADDRESS_MIB", settings.BODIES_PER_ADDRESS_MIB) * MiB,
    },
    pdf: {
      processes: value("PDF_PROCESSES", settings.PDF_PROCESSES),
      cacheBytes: value("PDF_CACHE_MIB", settings.PDF_CACHE_MIB) * MiB,
    },
    fetch: {
      enabled: value("FETCH_URLS", settings.FETCH_URLS),
      allowedHosts: value("FETCH_ALLOWED_HOSTS", settings.FETCH_ALLOWED_HOSTS),
    },
    files: {
      maxBytes: value("FILE_SIZE_MIB", settings.FILE_SIZE_MIB) * MiB,
      quotaBytes: value("FILES_PER_PERSON_MIB", settings.FILES_PER_PERSON_MIB) * MiB || undefined,
      signedReads: value("FILES_PRIVATE", settings.FILES_PRIVATE),
      origin: value("FILES_ORIGIN", settings.FILES_ORIGIN),
      s3: readS3(),
    },
    importBytes: value("IMPORT_MEGABYTES", settings.IMPORT_MEGABYTES) * 1_000_000,
    logLevel: value("LOG_LEVEL", settings.LOG_LEVEL),
  };
  if (mistakes.length > 0) {
    throw new ConfigError(
      `These settings are wrong (environment or ${join(folder, ".env")}):\n${mistakes.join("\n")}`,
    );
  }
  return config;
}

/** The text of `.env.example`: every setting, commented out, with its default. */
export function envExample(): string {
  const lines = ["# Every setting of Parlance. Copy this file to .env and uncomment what you change.", ""];
  for (const [name, setting] of Object.entries(settings)) {
    lines.push(`# ${setting.about}`, `#${name}=${setting.example}`, "");
  }
  return lines.join("\n");
}

function readDotEnv(path: string): Record<string, string | undefined> {
  try {
    return withoutEmpty(parseEnv(readFileSync(path, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new ConfigError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** An empty setting is an absent one: `PORT=` in a compose file means nothing. */
function withoutEmpty(environment: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ""));
}
