import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settingsSchema } from "./schema.ts";
import { listSettings } from "./setting.ts";
import { ConfigError, readConfig, settingWarnings } from "./settings.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parlance-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The error message about these settings; "" if they are valid. */
function errorMessage(environment: Record<string, string>): string {
  try {
    readConfig(folder, environment);
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

describe("the settings", () => {
  test.for([
    ["PARLANCE_ANONYMOS", "Did you mean PARLANCE_ANONYMOUS?"],
    ["PARLANCE_anonymous", "Did you mean PARLANCE_ANONYMOUS?"],
    ["PARLANCE_TRUST_PROXI", "Did you mean TRUST_PROXY?"],
    ["PARLANCE_COLOUR", "docs/settings.md lists all settings."],
  ])("refuse %s, which would have no effect", ([name, remedy]) => {
    expect(errorMessage({ [name!]: "off" })).toContain(`  ${name} is not a setting. ${remedy}`);
  });

  test("accept the names that Kubernetes and our own programs add", () => {
    const names = [
      "PARLANCE_PORT",
      "PARLANCE_PORT_3000_TCP_ADDR",
      "PARLANCE_SERVICE_HOST",
      "PARLANCE_TEST_S3",
    ];
    names.push("PARLANCE_WEB_SERVICE_PORT_HTTP", "PARLANCE_RUNNER_PID");
    const environment = Object.fromEntries(names.map((name) => [name, "tcp://10.0.0.1:3000"]));
    expect(errorMessage(environment)).toBe("");
    expect(settingWarnings(folder, environment)).toEqual([]);
  });

  test("warn of names that are almost those of settings", () => {
    writeFileSync(join(folder, ".env"), "DATABASE_URI=postgres://ada:terribly-secret@db/parlance\n");
    const environment = {
      TRUST_PROXI: "1",
      log_level: "debug",
      POST: "1",
      PATH: "/bin",
      HOSTNAME: "db",
      PORT: "1",
    };
    expect(settingWarnings(folder, environment)).toEqual([
      "DATABASE_URI is not a setting and has no effect. Did you mean DATABASE_URL?",
      "TRUST_PROXI is not a setting and has no effect. Did you mean TRUST_PROXY?",
      "log_level is not a setting and has no effect. Did you mean LOG_LEVEL?",
    ]);
  });

  test("have defaults for one person on their own machine", () => {
    expect(readConfig(folder, {})).toEqual({
      port: 3000,
      host: "127.0.0.1",
      publicUrl: undefined,
      trustProxy: 0,
      dataDir: join(folder, "data"),
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      openai: { apiKey: undefined, baseUrl: undefined, model: undefined },
      ollamaUrl: "http://127.0.0.1:11434",
      modelReads: [],
      modelSilenceMs: 120_000,
      modelFileCharacters: 200_000,
      secret: undefined,
      apiKey: undefined,
      baseUrl: undefined,
      anonymous: true,
      appsWithoutTitles: [],
      proxySignIn: { addresses: [], emailHeader: "X-Forwarded-Email", connectsAccounts: false },
      threadTools: true,
      askPerson: true,
      artifactTool: true,
      backups: { folder: undefined, s3: undefined, time: "03:15", keepDays: 14, passphrase: undefined },
      allowedOrigins: [],
      concurrency: {
        runs: { perVisitor: 32, perAddress: 256 },
        streams: { perVisitor: 64, perAddress: 1024 },
        pdfs: { perVisitor: 4, perAddress: 16 },
        uploads: { perVisitor: 12, perAddress: 100 },
      },
      retention: { sessionsMs: 7 * 86_400_000, eventsMs: 365 * 86_400_000, runLogsMs: 3_600_000 },
      bodyMemory: { totalBytes: 256 * 1024 * 1024, perAddressBytes: 64 * 1024 * 1024 },
      pdf: { processes: 2, cacheBytes: 1024 * 1024 * 1024 },
      extraCaFile: undefined,
      outgoingProxy: { httpsProxy: undefined, httpProxy: undefined, noProxy: [] },
      fetch: { enabled: true, allowedHosts: [] },
      files: {
        maxBytes: 25 * 1024 * 1024,
        quotaBytes: 1024 * 1024 * 1024,
        signedReads: false,
        origin: undefined,
        s3: undefined,
      },
      importBytes: 512_000_000,
      localOnly: false,
      databaseWaitMs: 30_000,
      updates: { copyBeforeUpgrade: "on" },
      shutdownGraceMs: 5_000,
      metrics: {},
      accessLog: false,
      logLevel: "info",
    });
  });

  test("of a bucket are all set, or none", () => {
    const bucket = {
      S3_ENDPOINT: "https://s3.example/",
      S3_BUCKET: "garden",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "secret",
    };
    expect(readConfig(folder, bucket).files.s3).toEqual({
      endpoint: "https://s3.example",
      bucket: "garden",
      region: "us-east-1",
      accessKeyId: "id",
      secretAccessKey: "secret",
      style: "path",
    });
    for (const name of Object.keys(bucket))
      expect(errorMessage({ ...bucket, [name]: "" })).toContain(`${name} must be`);
    expect(readConfig(folder, { FILES_PER_PERSON_MIB: "0" }).files.quotaBytes).toBeUndefined();
  });

  test("count as absent when they are empty", () => {
    const empty = Object.fromEntries(listSettings(settingsSchema).map(({ name }) => [name, ""]));
    expect(readConfig(folder, empty)).toEqual(readConfig(folder, {}));
  });

  test("are read from .env if the environment has none", () => {
    writeFileSync(join(folder, ".env"), 'PORT=4000\nHOST="0.0.0.0"\n# LOG_LEVEL=debug\nOPENAI_MODEL=\n');
    expect(readConfig(folder, { HOST: "10.0.0.1" })).toMatchObject({
      port: 4000,
      host: "10.0.0.1",
      logLevel: "info",
      openai: { model: undefined },
    });
    writeFileSync(join(folder, ".env"), "PORT=eighty\n");
    expect(errorMessage({})).toMatch(/PORT must be/);
  });

  test("of a proxy also count in lower case, as other programs write them, and errors do not have its password", () => {
    const proxyOf = (environment: Record<string, string>) => readConfig(folder, environment).outgoingProxy;
    expect(
      proxyOf({ https_proxy: "http://a:1", HTTPS_PROXY: "http://b:1", no_proxy: ".lan, 10.0.0.0/8" }),
    ).toEqual({
      httpsProxy: "http://a:1",
      httpProxy: undefined,
      noProxy: [".lan", "10.0.0.0/8"],
    });
    expect(proxyOf({ HTTP_PROXY: "proxy.lan:3128" }).httpProxy).toBe("http://proxy.lan:3128");
    expect(proxyOf({ http_proxy: "", HTTP_PROXY: "http://b:1/" }).httpProxy).toBe("http://b:1");
    const message = errorMessage({ https_proxy: "socks5://user:hunter2@proxy:1080" });
    expect(message).toContain("HTTPS_PROXY must be the URL of an HTTP proxy, such as");
    expect(message).not.toContain("hunter2");
    for (const password of ["hunter2%", "hunter2%zz", "hunter2#", "hunter2/"]) {
      const refused = errorMessage({ HTTPS_PROXY: `http://user:${password}@proxy:3128` });
      expect(refused).toContain("percent-encoded");
      expect(refused).not.toContain("hunter2");
    }
    writeFileSync(join(folder, ".env"), "https_proxy=http://file:1\n");
    expect(proxyOf({}).httpsProxy).toBe("http://file:1");
    expect(proxyOf({ HTTPS_PROXY: "http://environment:1" }).httpsProxy).toBe("http://environment:1");
    writeFileSync(join(folder, ".env"), "");
  });

  test.for([
    ["PORT", ["0", "65535"], ["65536", "-1", "3000.5", "0x50", "three", " 80"]],
    ["TRUST_PROXY", ["0", "10"], ["11", "-1", "true"]],
    [
      "PUBLIC_URL",
      ["https://chat.example", "http://10.0.0.1:3000/", "https://example.org/chat"],
      ["chat.example", "//chat.example", "ftp://x", "javascript:alert(1)"],
    ],
    [
      "DATABASE_URL",
      ["postgres://a:b@c/d", "postgresql://c/d?sslmode=require"],
      ["mysql://c/d", "c/d", "sqlite.db"],
    ],
    ["OPENAI_BASE_URL", ["http://127.0.0.1:8080/v1"], ["127.0.0.1:8080", "file:///etc/passwd"]],
    ["PARLANCE_SECRET", ["x".repeat(32)], ["x".repeat(31)]],
    [
      "PARLANCE_API_KEY",
      [`sk_aui_proj_${"a".repeat(20)}`],
      [`sk_aui_proj_${"a".repeat(19)}`, "a".repeat(40), `sk_aui_proj_${"a b".repeat(20)}`],
    ],
    ["PARLANCE_BASE_URL", ["https://api.example"], ["api.example"]],
    ["PARLANCE_ANONYMOUS", ["on", "off", "true", "FALSE", "1", "0", "yes", "no"], ["maybe", "2", "on off"]],
    [
      "PARLANCE_ALLOWED_ORIGINS",
      ["https://a.example", "https://a.example, http://b.example:8080 ,"],
      ["a.example", "https://a.example/x", "*", "https://a.example;https://b.example"],
    ],
    ["FETCH_URLS", ["on", "off"], ["public"]],
    [
      "FETCH_ALLOWED_HOSTS",
      ["files.lan", "files.lan:9000, 10.0.0.7 ,[fd00::1]:80"],
      ["http://files.lan", "*.lan", "10.0.0.0/8", "files.lan:http", "ada@files.lan", "files.lan;b.lan"],
    ],
    ["LOG_LEVEL", ["silent", "debug"], ["trace", "INFO"]],
  ] as const)("%s is checked", ([name, right, wrong]) => {
    for (const text of right) expect(errorMessage({ [name]: text }), text).toBe("");
    for (const text of wrong)
      expect(errorMessage({ [name]: text }), text).toMatch(new RegExp(`^ +${name} must .+\\.$`, "m"));
  });

  test("that are wrong are all listed in one message", () => {
    const message = errorMessage({ PORT: "x", LOG_LEVEL: "x", PUBLIC_URL: "x" });
    expect(message.split("\n")).toHaveLength(4);
    expect(message).toContain(join(folder, ".env"));
  });

  test("never appear in the message if they are secret", () => {
    const message = errorMessage({
      PARLANCE_SECRET: "hush",
      PARLANCE_API_KEY: "hush",
      DATABASE_URL: "mysql://ada:hush@db/x",
    });
    expect(message).not.toContain("hush");
  });

  test("lose the slashes at the end of a URL, so that paths can be appended", () => {
    expect(
      readConfig(folder, { PUBLIC_URL: "https://chat.example///", OPENAI_BASE_URL: "http://m/v1/" }),
    ).toMatchObject({
      publicUrl: "https://chat.example",
      openai: { baseUrl: "http://m/v1" },
    });
  });

  test("normalize hosts as URLs do", () => {
    const allowed = readConfig(folder, {
      FETCH_ALLOWED_HOSTS: "Files.LAN., files.lan:80, 0x7f.1,[FD00:0::1]:90",
    });
    expect(allowed.fetch.allowedHosts).toEqual(["files.lan", "files.lan:80", "127.0.0.1", "[fd00::1]:90"]);
  });

  test("switch off the search for Ollama", () => {
    expect(readConfig(folder, { OLLAMA_URL: "off" }).ollamaUrl).toBeUndefined();
  });
});

test("the first rule that matches a model's name says what it reads", () => {
  const { modelReads } = readConfig(folder, { MODEL_READS: "gpt-5*=image:8+pdf, llama3.2=text,audio" });
  const readsOf = (id: string) => modelReads.find((rule) => rule.matches(id))?.reads;
  expect([readsOf("gpt-5-mini"), readsOf("llama3.2"), readsOf("llama3.20")]).toEqual([
    ["image", "pdf"],
    [],
    ["audio"],
  ]);
  expect(modelReads.map(({ pictures }) => pictures)).toEqual([8, undefined, undefined]);
  expect(() => readConfig(folder, { MODEL_READS: "gpt-5=eyes" })).toThrow('"gpt-5=eyes" is not one');
});
