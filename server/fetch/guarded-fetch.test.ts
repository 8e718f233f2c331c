import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { AppError } from "../lib/errors.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

const pdf = Buffer.from("%PDF-1.7 and so on");
const requests: { url: string | undefined; headers: IncomingMessage["headers"] }[] = [];
let respond: RequestListener;
let server: Server;
let close: () => Promise<void>;
let port = 0;

const sendPdf: RequestListener = (_request, response) => {
  response.writeHead(200, { "Content-Type": "application/pdf" }).end(pdf);
};

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    respond(request, response);
  });
  ({ port, close } = await listenLocally(server));
});
afterAll(async () => await close());
beforeEach(() => {
  requests.length = 0;
  respond = sendPdf;
});

/** A public address. The tests never connect to it. */
const publicAddress = "93.184.216.34";

/** What the resolver returns. `files.test` is on the operator's allowlist. */
const names: Record<string, string[]> = {
  "files.test": ["127.0.0.1"],
  "intranet.test": ["10.0.0.7"],
  "metadata.google.internal": ["169.254.169.254"],
  "mixed.test": [publicAddress, "127.0.0.1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "translated.test": ["64:ff9b::7f00:1"],
  "azure.test": ["168.63.129.16"],
  localhost: ["127.0.0.1"],
};

function fetcher(options: Partial<GuardedFetchOptions> = {}) {
  const connections: string[] = [];
  const resolved: string[] = [];
  const guarded = createGuardedFetch({
    logger: { info() {} },
    enabled: true,
    allowedHosts: [`files.test:${port}`],
    resolve: async (host) => {
      resolved.push(host);
      const addresses = names[host];
      if (addresses === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      return addresses;
    },
    dial: (address, toPort) => {
      connections.push(address);
      return connect(toPort, address);
    },
    ...options,
  });
  const read = async (url: string, more: { bytesMax?: number; signal?: AbortSignal } = {}) =>
    await guarded({
      url,
      field: "body.file_url",
      types: ["application/pdf"],
      bytesMax: more.bytesMax ?? 1_000,
      signal: more.signal ?? new AbortController().signal,
    });
  /** The error code. Checks that the error has the field's name. */
  const refusal = async (url: string, more: { bytesMax?: number } = {}) => {
    const error: unknown = await read(url, more).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof AppError)) throw new Error(`${url} was not refused: ${String(error)}`);
    expect(error.details).toEqual([{ path: "body.file_url", message: expect.stringMatching(/./) }]);
    return error.code;
  };
  return { read, refusal, connections, resolved };
}

const allowedUrl = () => `http://files.test:${port}`;

describe("a URL from a user", () => {
  test("is read without information about the user", async () => {
    const fetched = await fetcher().read(`${allowedUrl()}/a%2Fb.pdf?x=1#part`);
    expect(fetched).toMatchObject({ bytes: pdf, contentType: "application/pdf", charset: undefined });
    expect(requests).toEqual([
      {
        url: "/a%2Fb.pdf?x=1",
        headers: {
          host: `files.test:${port}`,
          accept: "application/pdf, */*;q=0.1",
          "accept-encoding": "identity",
          "user-agent": "Parlance",
          connection: "close",
        },
      },
    ]);
  });

  test("may redirect to allowed URLs a few times, without cookies", async () => {
    respond = (request, response) => {
      const hop = Number(request.url!.slice(1));
      if (hop === 0) sendPdf(request, response);
      else response.writeHead(302, { Location: `/${hop - 1}`, "Set-Cookie": "who=ada" }).end();
    };
    expect((await fetcher().read(`${allowedUrl()}/5`)).bytes).toEqual(pdf);
    expect(requests.map(({ headers }) => headers.cookie)).toEqual(Array(6).fill(undefined));
    expect(await fetcher().refusal(`${allowedUrl()}/6`)).toBe("address-refused");
  });

  test.for([404, 401, 403, 500, 204, 206, 304])("is refused if the status is %d", async (status) => {
    respond = (_request, response) => void response.writeHead(status).end();
    expect(await fetcher().refusal(allowedUrl())).toBe("address-refused");
  });

  test.for(["text/html", "image/png", "application/pdfx", "Application/JSON; charset=utf-8"])(
    "is refused if the type is %s",
    async (type) => {
      respond = (_request, response) => void response.writeHead(200, { "Content-Type": type }).end(pdf);
      expect(await fetcher().refusal(allowedUrl())).toBe("fetched-wrong-type");
    },
  );

  test.for(["Application/PDF; version=1.7", "application/octet-stream", undefined])(
    "is read if the type is %s",
    async (type) => {
      respond = (_request, response) => {
        if (type !== undefined) response.setHeader("Content-Type", type);
        response.end(pdf);
      };
      expect((await fetcher().read(allowedUrl())).bytes).toEqual(pdf);
    },
  );

  test("is refused if it is compressed, because it could be a decompression bomb", async () => {
    respond = (_request, response) =>
      void response
        .writeHead(200, { "Content-Type": "application/pdf", "Content-Encoding": "gzip" })
        .end("x");
    expect(await fetcher().refusal(allowedUrl())).toBe("fetched-wrong-type");
  });

  test("is read up to the size limit, with or without a declared length", async () => {
    const exactly = { bytesMax: pdf.length };
    const less = { bytesMax: pdf.length - 1 };
    const declared: RequestListener = (_request, response) =>
      void response.writeHead(200, { "Content-Length": pdf.length }).end(pdf);
    for (const answer of [declared, sendPdf]) {
      respond = answer;
      expect((await fetcher().read(allowedUrl(), exactly)).bytes).toEqual(pdf);
      expect(await fetcher().refusal(allowedUrl(), less)).toBe("fetched-too-large");
    }
    respond = (_request, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(1_000)), 1);
      response.on("close", () => clearInterval(timer));
    };
    expect(await fetcher().refusal(allowedUrl())).toBe("fetched-too-large");
  });

  test("is refused if the connection breaks", async () => {
    respond = (_request, response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("half", () => response.destroy());
    };
    expect(await fetcher().refusal(allowedUrl())).toBe("address-unreachable");
  });

  test("is refused after the timeout", async () => {
    for (const begins of [false, true]) {
      respond = (_request, response) => void (begins && response.write("a"));
      expect(await fetcher({ timeoutMs: 100 }).refusal(allowedUrl())).toBe("address-unreachable");
    }
    const resolve = async () => await new Promise<never>(() => {});
    expect(await fetcher({ timeoutMs: 100, resolve }).refusal(allowedUrl())).toBe("address-unreachable");
  });

  test("closes the connection when the caller aborts", async () => {
    const controller = new AbortController();
    respond = () => controller.abort(new Error("gone"));
    const closed = new Promise((resolve) =>
      server.once("connection", (socket: Socket) => socket.on("close", resolve)),
    );
    await expect(fetcher().read(allowedUrl(), { signal: controller.signal })).rejects.toThrow("gone");
    await closed;
  });

  test("is read from another address of the host if the first does not respond", async () => {
    const resolve = async () => ["127.0.0.9", "127.0.0.1"];
    const { read, connections } = fetcher({
      resolve,
      dial: (address, toPort) => {
        connections.push(address);
        return connect(address === "127.0.0.9" ? 1 : toPort, "127.0.0.1");
      },
    });
    expect((await read(allowedUrl())).bytes).toEqual(pdf);
    expect(connections).toEqual(["127.0.0.9", "127.0.0.1"]);
  });

  test("is refused if the server does not speak HTTP or sends endless headers", async () => {
    for (const says of ["SSH-2.0-OpenSSH_9.2\r\n", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`]) {
      const badServer = createTcpServer((socket) => socket.on("error", () => {}).end(says));
      const bad = await listenLocally(badServer);
      const { refusal } = fetcher({ allowedHosts: [`files.test:${bad.port}`] });
      expect(await refusal(`http://files.test:${bad.port}`)).toBe("address-unreachable");
      await bad.close();
    }
  });

  test("is refused if the operator has disabled fetching", async () => {
    expect(await fetcher({ enabled: false }).refusal(allowedUrl())).toBe("fetching-off");
    expect(requests).toEqual([]);
  });
});

describe("a known way into an operator's network", () => {
  /** Expects a refusal without any connection. */
  async function expectRefused(url: string, code: string): Promise<void> {
    const { refusal, connections } = fetcher();
    expect(await refusal(url), url).toBe(code);
    expect(connections, url).toEqual([]);
  }

  test("CVE-2024-7959, CVE-2025-65958, CVE-2024-32964, CVE-2026-54157: an IP address", async () => {
    for (const host of ["127.0.0.1", "10.0.0.1", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0"])
      await expectRefused(`http://${host}/`, "address-not-allowed");
  });

  test("CVE-2025-66201, CVE-2025-69222, CVE-2026-54033, CVE-2026-59095: a name that resolves to an internal address", async () => {
    for (const host of ["intranet.test", "localhost", "LOCALHOST.", "metadata.google.internal"])
      await expectRefused(`http://${host}/`, "address-unreachable");
  });

  test("an IP address in another notation: decimal, octal, hexadecimal, short, full-width", async () => {
    for (const host of [
      "2130706433",
      "0x7f000001",
      "0x7f.1",
      "017700000001",
      "0177.0.0.1",
      "127.1",
      "①②⑦.⓪.⓪.①",
      "127。0。0。1",
      "%31%32%37.0.0.1",
      "0",
    ])
      await expectRefused(`http://${host}/`, "address-not-allowed");
  });

  test("CVE-2026-31943: IPv4 inside IPv6", async () => {
    for (const host of [
      "[::ffff:127.0.0.1]",
      "[::ffff:a00:1]",
      "[::127.0.0.1]",
      "[2002:7f00:1::]",
      "[::1]",
      "[::]",
    ])
      await expectRefused(`http://${host}/`, "address-not-allowed");
    await expectRefused("http://mapped.test/", "address-unreachable");
  });

  test("GHSA-8x5v-cpv7-8jjp: IPv4 behind NAT64", async () => {
    for (const host of ["[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a00:1]"])
      await expectRefused(`http://${host}/`, "address-not-allowed");
    await expectRefused("http://translated.test/", "address-unreachable");
  });

  test("CVE-2026-87999: a cloud's metadata service at a public address", async () => {
    await expectRefused("http://168.63.129.16/", "address-not-allowed");
    await expectRefused("http://azure.test/", "address-unreachable");
  });

  test("CVE-2026-31945: DNS rebinding: a name that resolves to a public address first, and then to an internal one", async () => {
    let times = 0;
    const connections: string[] = [];
    const { refusal } = fetcher({
      resolve: async () => [++times === 1 ? publicAddress : "127.0.0.1"],
      dial: (address) => {
        connections.push(address);
        // Connects to the test server instead.
        return connect(port, "127.0.0.1");
      },
    });
    expect(await refusal("http://rebound.test/")).toBe("address-unreachable");
    expect(times).toBe(1);
    expect(connections).toEqual([publicAddress]);
    expect(requests).toEqual([]);
    await expectRefused("http://mixed.test/", "address-unreachable");
  });

  test("CVE-2024-47066, CVE-2026-45401, GHSA-5x7x-4c3c-qf5w: a redirect to an internal address", async () => {
    for (const [location, code] of [
      ["http://127.0.0.1/", "address-not-allowed"],
      ["http://169.254.169.254/latest/meta-data/", "address-not-allowed"],
      ["//0x7f000001/", "address-not-allowed"],
      ["http://intranet.test/", "address-unreachable"],
      ["file:///etc/passwd", "address-not-allowed"],
      ["gopher://files.test/", "address-not-allowed"],
      [`http://ada:secret@files.test:${port}/`, "address-not-allowed"],
      ["http://[", "address-not-allowed"],
    ] as const) {
      requests.length = 0;
      respond = (_request, response) => void response.writeHead(302, { Location: location }).end();
      const { refusal, connections } = fetcher();
      expect(await refusal(allowedUrl()), location).toBe(code);
      expect([requests.length, connections.length], location).toEqual([1, 1]);
    }
  });

  test("CVE-2026-59223: a host that only looks like an allowed one", async () => {
    names["files.test.evil.example"] = names["evil-files.test"] = names["files.tes"] = ["127.0.0.1"];
    const { refusal, connections } = fetcher({ allowedHosts: ["files.test", `files.test:${port}`] });
    for (const host of ["files.test.evil.example", "evil-files.test", "files.tes"])
      expect(await refusal(`http://${host}/`), host).toBe("address-unreachable");
    for (const url of [
      `http://files.test:${port}@127.0.0.1/`,
      `http://127.0.0.1/#files.test:${port}`,
      `http://127.0.0.1\\@files.test:${port}/`,
      `http://127.0.0.1/?files.test`,
      `http://files.test:${port + 1}/`,
    ])
      expect(await refusal(url), url).toBe("address-not-allowed");
    expect(connections).toEqual([]);
  });

  test("an allowed host may be internal, but not a metadata service", async () => {
    names["bound.test"] = ["169.254.169.254"];
    const { refusal, connections } = fetcher({ allowedHosts: ["bound.test"] });
    expect(await refusal("http://bound.test/")).toBe("address-unreachable");
    expect(connections).toEqual([]);
    const byNumber = fetcher({ allowedHosts: [`127.0.0.1:${port}`] });
    expect((await byNumber.read(`http://127.0.0.1:${port}/`)).bytes).toEqual(pdf);
    expect(byNumber.resolved).toEqual([]);
  });

  test("CVE-2024-37895: not an HTTP URL, or a URL with a credential", async () => {
    for (const url of [
      "file:///etc/passwd",
      "ftp://example.org/",
      "gopher://127.0.0.1:6379/_INFO",
      "data:application/pdf;base64,JVBERi0=",
      "javascript:alert(1)",
      "https://ada:secret@example.org/",
      "https://ada@example.org/",
      "example.org/garden.pdf",
      "//example.org",
      "",
      `https://example.org/${"x".repeat(9_000)}`,
    ])
      await expectRefused(url, "address-not-allowed");
  });

  test("a port other than 80 and 443", async () => {
    for (const where of ["example.org:22", "example.org:6379", "example.org:8080", "example.org:0"])
      await expectRefused(`http://${where}/`, "address-not-allowed");
  });

  test("gives the same error for an unknown name, an internal name and a closed port", async () => {
    const outcomeOf = async (url: string, options: Partial<GuardedFetchOptions> = {}) => {
      const error: unknown = await fetcher(options)
        .read(url)
        .catch((thrown: unknown) => thrown);
      return [(error as AppError).code, (error as AppError).details];
    };
    const internal = await outcomeOf("http://intranet.test/");
    expect(await outcomeOf("http://nowhere.test/")).toEqual(internal);
    const closedPort = { allowedHosts: ["files.test"], dial: () => connect(1, "127.0.0.1") };
    expect(await outcomeOf("http://files.test/", closedPort)).toEqual(internal);
  });
});
