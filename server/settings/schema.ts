import * as z from "zod/mini";
import { limits } from "#contract/limits.ts";
import { logLevels } from "../lib/logger.ts";
import { backups } from "./backup-settings.ts";
import { publicUrl } from "./base-path.ts";
import { parseOrigin } from "./origin.ts";
import { outgoingProxy } from "./outgoing-proxy-settings.ts";
import { proxySignIn } from "./proxy-sign-in-settings.ts";
import { retention } from "./retention.ts";
import { s3 } from "./s3-settings.ts";
import { setting } from "./setting.ts";
import { updateSettings } from "./update-settings.ts";
import {
  integer,
  integerOrUnlimited,
  listOf,
  oneOf,
  onOrOff,
  parseHost,
  parseModelInputRule,
  secret,
  secretMatching,
  text,
  url,
  urlOrOff,
} from "./setting-types.ts";

const mib = 1024 * 1024;

/** How much may happen at once: at least one, and an upper limit that only catches typing errors. */
const concurrency = integer({ min: 1, max: 1_000_000 });
const postgres = ["postgres", "postgresql"];

/**
 * Every setting: its name in the environment, its documentation, its type and its default. The keys say where its value
 * is in `Config`. `.env.example` and `docs/settings.md` are generated from this schema.
 */
export const settingsSchema = z.object({
  port: setting(
    "PORT",
    "The port to listen on. 0 takes any free port.",
    integer({ min: 0, max: 65_535 }),
    "3000",
  ),
  host: setting(
    "HOST",
    "The address to listen on. With 0.0.0.0, other machines can connect, under an address or a name of the local network. Other names need PUBLIC_URL.",
    text(),
    "127.0.0.1",
  ),
  publicUrl: setting(
    "PUBLIC_URL",
    "The URL that people open, if it is not http://HOST:PORT (behind a proxy), such as https://chat.example.com or https://example.com/chat. The server refuses host names that it does not know from here.",
    publicUrl(),
  ),
  trustProxy: setting(
    "TRUST_PROXY",
    "The number of proxies in front of the server that set X-Forwarded-For. With 0, all people behind a proxy share one address and its limits.",
    integer({ min: 0, max: 10 }),
    "0",
  ),
  proxySignIn,
  dataDir: setting("DATA_DIR", "The folder for the database, the files and the secret.", text(), "./data"),
  databaseUrl: setting(
    "DATABASE_URL",
    "A PostgreSQL database: postgres://user:password@host/name. Without it, the server uses SQLite in DATA_DIR.",
    url(postgres),
  ),
  databaseDirectUrl: setting(
    "DATABASE_DIRECT_URL",
    "The same database without a connection pooler, if DATABASE_URL goes through one in transaction mode (PgBouncer).",
    url(postgres),
  ),
  databaseWaitMs: setting(
    "DATABASE_WAIT_SECONDS",
    "How many seconds the server waits at its start for a PostgreSQL that cannot be reached yet.",
    integer({ min: 0, max: 86_400, unit: 1_000 }),
    "30",
  ),
  updates: updateSettings,
  shutdownGraceMs: setting(
    "SHUTDOWN_GRACE_SECONDS",
    "How many seconds a server that is asked to stop waits for its answers to finish. Then, on PostgreSQL, another server continues the rest, or the next one that starts; on SQLite they end as interrupted. A service manager must wait at least 5 seconds longer before it kills the server. The default suits Docker, which waits 10 seconds in all.",
    integer({ min: 0, max: 3_600, unit: 1_000 }),
    "5",
  ),
  openai: z.object({
    apiKey: setting(
      "OPENAI_API_KEY",
      "The API key for an OpenAI-compatible model server, if it requires one.",
      secret(),
    ),
    baseUrl: setting(
      "OPENAI_BASE_URL",
      "The URL of an OpenAI-compatible model server, such as http://127.0.0.1:8080/v1.",
      url(),
    ),
    model: setting(
      "OPENAI_MODEL",
      "The model to use. Without it, the first model that the server lists.",
      text(),
    ),
  }),
  ollamaUrl: setting(
    "OLLAMA_URL",
    "The URL of an Ollama server, which is used when no other model server is set. off disables the search for it.",
    urlOrOff(),
    "http://127.0.0.1:11434",
  ),
  modelReads: setting(
    "MODEL_READS",
    "The kinds of files that models accept, where the server guesses wrong: gpt-5*=image+pdf,llama3.2=text. The kinds are image, pdf, audio and text; image:8 allows at most 8 images per request. A rule without a model name applies to all models.",
    listOf(parseModelInputRule, "lists such as gpt-5*=image:8+pdf or llama3.2=text"),
    "",
  ),
  modelSilenceMs: setting(
    "MODEL_TIMEOUT_SECONDS",
    "How many seconds a model may send nothing before the answer fails. Raise it for slow local models, which read a long conversation for minutes before the first word.",
    integer({ min: 1, max: 3_600, unit: 1_000 }),
    String(limits.modelSilenceMs / 1_000),
  ),
  modelFileCharacters: setting(
    "MODEL_FILE_CHARACTERS",
    "The most text from attached files in one request to a model, in characters (about four per token). If the context size of a model is known, files fill at most half of it.",
    integer({ min: 1_000, max: 10_000_000 }),
    "200000",
  ),
  secret: setting(
    "PARLANCE_SECRET",
    "The secret that signs tokens, at least 32 characters. Without it, the server creates one and stores it in DATA_DIR. Several servers on one database need the same secret.",
    secret({ minLength: 32 }),
  ),
  exportPassphrase: setting(
    "EXPORT_PASSPHRASE",
    "The passphrase of the commands export --everyone and decrypt, at least 12 characters, for scripts. Without it, they ask for one.",
    secret({ minLength: 12 }),
  ),
  apiKey: setting(
    "PARLANCE_API_KEY",
    "An API key for your own backend, in the form sk_aui_proj_…",
    secretMatching(/^sk_aui_proj_[A-Za-z0-9_-]{20,}$/, "sk_aui_proj_ and at least 20 letters or digits"),
  ),
  baseUrl: setting(
    "PARLANCE_BASE_URL",
    "The public URL of the chat service for the web app. Without it, the web app's own origin.",
    url(),
  ),
  anonymous: setting(
    "PARLANCE_ANONYMOUS",
    "Whether people can use the service without an account: on or off.",
    onOrOff(),
    "on",
  ),
  allowedOrigins: setting(
    "PARLANCE_ALLOWED_ORIGINS",
    "Origins whose pages may call the service, separated by commas, in addition to the lists of the apps (cli origin add). If there are none, pages of the same machine or local network may call it, without cookies; pages of every origin if PUBLIC_URL is on the internet.",
    listOf(parseOrigin, "origins such as https://app.example.com"),
    "",
  ),
  appsWithoutTitles: setting(
    "NO_TITLES_FOR_APPS",
    "Apps, by name or id and separated by commas, whose threads get no automatic title when a client of the protocol stores an answer. Clients can still request one.",
    listOf((entry) => entry, "names or ids of apps"),
    "",
  ),
  localOnly: setting(
    "PARLANCE_LOCAL_ONLY",
    "Whether only models at addresses of this server's own network may be used, by everyone and for titles too: on or off. Requests to other models are refused. Ollama's cloud models are not local.",
    onOrOff(),
    "off",
  ),
  summaryModel: setting(
    "PARLANCE_SUMMARY_MODEL",
    "The model that summarizes the oldest messages of long threads, such as openai/gpt-5-mini. Without it, the model for small tasks that the owner chose, or else the model of the thread. off: no automatic summaries; people can still request one.",
    text(),
  ),
  threadTools: setting(
    "PARLANCE_THREAD_TOOLS",
    "Whether assistants may search earlier threads of the person they answer: on or off. The passages that they find are sent to the model's provider.",
    onOrOff(),
    "on",
  ),
  askPerson: setting(
    "PARLANCE_ASK_PERSON",
    "Whether assistants may show people a form with questions (the tool ask_person): on or off.",
    onOrOff(),
    "on",
  ),
  artifactTool: setting(
    "PARLANCE_ARTIFACT_TOOL",
    "Whether assistants may make and change pages, tables and programs with the tool artifact: on or off. Without it they write each version in full, as a code block.",
    onOrOff(),
    "on",
  ),
  retention,
  /** How much may happen at the same time. */
  concurrency: z.object({
    runs: z.object({
      perVisitor: setting(
        "RUNS_PER_VISITOR",
        "How many answers one visitor can generate at the same time, over all servers. API keys have no limit.",
        concurrency,
        "32",
      ),
      perAddress: setting(
        "RUNS_PER_ADDRESS",
        "How many answers one network address can generate at the same time, on each server.",
        concurrency,
        "256",
      ),
    }),
    streams: z.object({
      perVisitor: setting(
        "STREAMS_PER_VISITOR",
        "How many streams one visitor can have open, on each server. A browser needs one for all of its tabs.",
        concurrency,
        "64",
      ),
      perAddress: setting(
        "STREAMS_PER_ADDRESS",
        "How many streams one network address can have open, on each server.",
        concurrency,
        "1024",
      ),
    }),
    pdfs: z.object({
      perVisitor: setting(
        "PDFS_PER_VISITOR",
        "How many PDFs of one visitor can be in progress or waiting, on each server.",
        concurrency,
        "4",
      ),
      perAddress: setting(
        "PDFS_PER_ADDRESS",
        "How many PDFs from one network address can be in progress or waiting, on each server.",
        concurrency,
        "16",
      ),
    }),
    uploads: z.object({
      perVisitor: setting(
        "UPLOADS_PER_VISITOR",
        "How many files one visitor can upload at the same time, to each server.",
        concurrency,
        "12",
      ),
      perAddress: setting(
        "UPLOADS_PER_ADDRESS",
        "How many files one network address can upload at the same time, to each server.",
        concurrency,
        "100",
      ),
    }),
  }),
  bodyMemory: z.object({
    totalBytes: setting(
      "BODIES_MIB",
      "How much memory request bodies can use on each server, in MiB. Uploaded files do not count.",
      integer({ min: 48, max: 1_000_000, unit: mib }),
      "256",
    ),
    perAddressBytes: setting(
      "BODIES_PER_ADDRESS_MIB",
      "How much of that memory the bodies from one network address can use, in MiB.",
      integer({ min: 48, max: 1_000_000, unit: mib }),
      "64",
    ),
  }),
  pdf: z.object({
    processes: setting(
      "PDF_PROCESSES",
      "How many child processes read PDFs. Each can use 512 MiB of memory for a minute.",
      integer({ min: 1, max: 64 }),
      "2",
    ),
    cacheBytes: setting(
      "PDF_CACHE_MIB",
      "The size of the cache of rendered PDF pages in the file storage, in MiB. Pages are deleted after a day in any case.",
      integer({ min: 16, max: 1_000_000_000, unit: mib }),
      "1024",
    ),
  }),
  extraCaFile: setting(
    "EXTRA_CA_FILE",
    "A file with certificates of authorities in the PEM format that the server trusts besides those that Node has, for every connection with TLS that it opens: to model and sign-in providers, webhooks, the bucket, PostgreSQL, mail servers and directories.",
    text(),
  ),
  outgoingProxy,
  fetch: z.object({
    enabled: setting(
      "FETCH_URLS",
      "Whether the server fetches URLs that people enter, such as that of a PDF, from the public internet: on or off.",
      onOrOff(),
      "on",
    ),
    allowedHosts: setting(
      "FETCH_ALLOWED_HOSTS",
      "Hosts in your own network from which the server may also fetch, as host or host:port, separated by commas.",
      listOf(parseHost, "hosts such as files.lan or files.lan:9000"),
      "",
    ),
  }),
  toolServersFile: setting(
    "TOOL_SERVERS_FILE",
    "A JSON file with tool servers (MCP) that run as processes of this machine, with this server's rights: mcpServers has a command for each name, and may have args, env, cwd and trustsHints.",
    text(),
  ),
  files: z.object({
    maxBytes: setting(
      "FILE_SIZE_MIB",
      "The size of the largest file that can be attached, in MiB.",
      integer({ min: 1, max: 5_120, unit: mib }),
      "25",
    ),
    quotaBytes: setting(
      "FILES_PER_PERSON_MIB",
      "How much storage one person can use, in MiB: their files, and the messages of the threads that they created. 0 means no limit.",
      integerOrUnlimited({ max: 1_000_000_000, unit: mib }),
      "1024",
    ),
    signedReads: setting(
      "FILES_PRIVATE",
      "Whether the URL of a file expires after 15 minutes: on or off. If on, listed messages contain fresh URLs.",
      onOrOff(),
      "off",
    ),
    origin: setting(
      "FILES_ORIGIN",
      "A separate origin for files, such as https://files.example.com, that leads to this server too. Without it, files have the service's origin.",
      url(),
    ),
    s3,
  }),
  backups,
  importBytes: setting(
    "IMPORT_MEGABYTES",
    "The size of the largest file that people can import threads from, in megabytes. cli import has no limit.",
    integer({ min: 1, max: 100_000, unit: 1_000_000 }),
    "512",
  ),
  metrics: z.object({
    port: setting(
      "METRICS_PORT",
      "A port of its own for Prometheus metrics at /metrics, at the address of HOST. See docs/metrics.md.",
      integer({ min: 0, max: 65_535 }),
    ),
    token: setting(
      "METRICS_TOKEN",
      "The bearer token that /metrics requires, at least 16 characters. Without METRICS_PORT, the main port serves it. With neither, metrics are off.",
      secret({ minLength: 16 }),
    ),
  }),
  accessLog: setting(
    "ACCESS_LOG",
    "Whether each request is logged at level info, with its address, route, status and duration: on or off.",
    onOrOff(),
    "off",
  ),
  logLevel: setting(
    "LOG_LEVEL",
    "How much is logged to standard error: silent, error, warn, info or debug.",
    oneOf(logLevels),
    "info",
  ),
});
