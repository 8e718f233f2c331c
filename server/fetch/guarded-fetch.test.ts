import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../lib/errors.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

const pdf = Buffer.from("%PDF-1.7 and so on");
const asked: { url: string | undefined; headers: IncomingMessage["headers"] }[] = [];
let answers: RequestListener;
let server: Server;
let port = 0;

const givesPdf: RequestListener = (_request, response) => {
  response.writeHead(200, { "Content-Type": "application/pdf" }).end(pdf);
};

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ url: request.url, headers: request.headers });
    answers(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
  answers = givesPdf;
});

/** A public name or address for the resolver of the tests; nothing of it is ever sent anywhere. */
const somewhere = "93.184.216.34";

/** What names lead to here. `files.test` is a host that the operator has named. */
const names: Record<string, string[]> = {
  "files.test": ["127.0.0.1"],
  "intranet.test": ["10.0.0.7"],
  "metadata.google.internal": ["169.254.169.254"],
  "mixed.test": [somewhere, "127.0.0.1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "translated.test": ["64:ff9b::7f00:1"],
  "azure.test": ["168.63.129.16"],
  localhost: ["127.0.0.1"],
};

function fetcher(options: Partial<GuardedFetchOptions> = {}) {
  const dialled: string[] = [];
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
      dialled.push(address);
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
  /** The code that it is refused with; the field must be named. */
  const refusal = async (url: string, more: { bytesMax?: number } = {}) => {
    const error: unknown = await read(url, more).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof AppError)) throw new Error(`${url} was not refused: ${String(error)}`);
    expect(error.details).toEqual([{ path: "body.file_url", message: expect.stringMatching(/./) }]);
    return error.code;
  };
  return { read, refusal, dialled, resolved };
}

const home = () => `http://files.test:${port}`;

describe("an address that a person gives", () => {
  test("is read, without anything that says who asks", async () => {
    const fetched = await fetcher().read(`${home()}/a%2Fb.pdf?x=1#part`);
    expect(fetched).toEqual({ bytes: pdf, contentType: "application/pdf" });
    expect(asked).toEqual([
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

  test("may redirect to where it may lead, a few times, and brings no cookie along", async () => {
    answers = (request, response) => {
      const hop = Number(request.url!.slice(1));
      if (hop === 0) givesPdf(request, response);
      else response.writeHead(302, { Location: `/${hop - 1}`, "Set-Cookie": "who=ada" }).end();
    };
    expect((await fetcher().read(`${home()}/5`)).bytes).toEqual(pdf);
    expect(asked.map(({ headers }) => headers.cookie)).toEqual(Array(6).fill(undefined));
    expect(await fetcher().refusal(`${home()}/6`)).toBe("address-refused");
  });

  test.for([404, 401, 403, 500, 204, 206, 304])("is refused where %d is answered", async (status) => {
    answers = (_request, response) => void response.writeHead(status).end();
    expect(await fetcher().refusal(home())).toBe("address-refused");
  });

  test.for(["text/html", "image/png", "application/pdfx", "Application/JSON; charset=utf-8"])(
    "is refused where %s stands",
    async (type) => {
      answers = (_request, response) => void response.writeHead(200, { "Content-Type": type }).end(pdf);
      expect(await fetcher().refusal(home())).toBe("fetched-wrong-type");
    },
  );

  test.for(["Application/PDF; version=1.7", "application/octet-stream", undefined])(
    "is read where %s stands",
    async (type) => {
      answers = (_request, response) => {
        if (type !== undefined) response.setHeader("Content-Type", type);
        response.end(pdf);
      };
      expect((await fetcher().read(home())).bytes).toEqual(pdf);
    },
  );

  test("is not read packed: a bomb would be", async () => {
    answers = (_request, response) =>
      void response
        .writeHead(200, { "Content-Type": "application/pdf", "Content-Encoding": "gzip" })
        .end("x");
    expect(await fetcher().refusal(home())).toBe("fetched-wrong-type");
  });

  test("is read up to its bound, declared or not", async () => {
    const exactly = { bytesMax: pdf.length };
    const less = { bytesMax: pdf.length - 1 };
    const declared: RequestListener = (_request, response) =>
      void response.writeHead(200, { "Content-Length": pdf.length }).end(pdf);
    for (const answer of [declared, givesPdf]) {
      answers = answer;
      expect((await fetcher().read(home(), exactly)).bytes).toEqual(pdf);
      expect(await fetcher().refusal(home(), less)).toBe("fetched-too-large");
    }
    answers = (_request, response) => {
      const pour = setInterval(() => response.write(Buffer.alloc(1_000)), 1);
      response.on("close", () => clearInterval(pour));
    };
    expect(await fetcher().refusal(home())).toBe("fetched-too-large");
  });

  test("that breaks off in the middle is no file", async () => {
    answers = (_request, response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("half", () => response.destroy());
    };
    expect(await fetcher().refusal(home())).toBe("address-unreachable");
  });

  test("that never ends is left when its time is over", async () => {
    for (const begins of [false, true]) {
      answers = (_request, response) => void (begins && response.write("a"));
      expect(await fetcher({ timeoutMs: 100 }).refusal(home())).toBe("address-unreachable");
    }
    const resolve = async () => await new Promise<never>(() => {});
    expect(await fetcher({ timeoutMs: 100, resolve }).refusal(home())).toBe("address-unreachable");
  });

  test("is left at once when nobody waits any more", async () => {
    const gone = new AbortController();
    answers = () => gone.abort(new Error("gone"));
    const closed = new Promise((resolve) =>
      server.once("connection", (socket: Socket) => socket.on("close", resolve)),
    );
    await expect(fetcher().read(home(), { signal: gone.signal })).rejects.toThrow("gone");
    await closed;
  });

  test("is tried at its other network addresses where the first does not answer", async () => {
    const resolve = async () => ["127.0.0.9", "127.0.0.1"];
    const { read, dialled } = fetcher({
      resolve,
      dial: (address, toPort) => {
        dialled.push(address);
        return connect(address === "127.0.0.9" ? 1 : toPort, "127.0.0.1");
      },
    });
    expect((await read(home())).bytes).toEqual(pdf);
    expect(dialled).toEqual(["127.0.0.9", "127.0.0.1"]);
  });

  test("is not read from what speaks no HTTP, or pours headers", async () => {
    for (const says of ["SSH-2.0-OpenSSH_9.2\r\n", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`]) {
      const odd = createTcpServer((socket) => socket.on("error", () => {}).end(says));
      odd.listen(0, "127.0.0.1");
      await once(odd, "listening");
      const oddPort = (odd.address() as AddressInfo).port;
      const { refusal } = fetcher({ allowedHosts: [`files.test:${oddPort}`] });
      expect(await refusal(`http://files.test:${oddPort}`)).toBe("address-unreachable");
      odd.close();
    }
  });

  test("is not read where the operator has switched it off", async () => {
    expect(await fetcher({ enabled: false }).refusal(home())).toBe("fetching-off");
    expect(asked).toEqual([]);
  });
});

describe("a way into the operator's network that others left open", () => {
  /** Refused, and nothing was dialled beyond what the test says. */
  async function closed(url: string, code: string): Promise<void> {
    const { refusal, dialled } = fetcher();
    expect(await refusal(url), url).toBe(code);
    expect(dialled, url).toEqual([]);
  }

  test("CVE-2024-7959, CVE-2025-65958, CVE-2024-32964, CVE-2026-54157: an address by number", async () => {
    for (const host of ["127.0.0.1", "10.0.0.1", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0"])
      await closed(`http://${host}/`, "address-not-allowed");
  });

  test("CVE-2025-66201, CVE-2025-69222, CVE-2026-54033, CVE-2026-59095: a name that leads inside", async () => {
    for (const host of ["intranet.test", "localhost", "LOCALHOST.", "metadata.google.internal"])
      await closed(`http://${host}/`, "address-unreachable");
  });

  test("a number in other clothes: decimal, octal, hexadecimal, short, full-width", async () => {
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
      await closed(`http://${host}/`, "address-not-allowed");
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
      await closed(`http://${host}/`, "address-not-allowed");
    await closed("http://mapped.test/", "address-unreachable");
  });

  test("GHSA-8x5v-cpv7-8jjp: IPv4 behind NAT64", async () => {
    for (const host of ["[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a00:1]"])
      await closed(`http://${host}/`, "address-not-allowed");
    await closed("http://translated.test/", "address-unreachable");
  });

  test("CVE-2026-87999: a cloud's own address among the public ones", async () => {
    await closed("http://168.63.129.16/", "address-not-allowed");
    await closed("http://azure.test/", "address-unreachable");
  });

  test("CVE-2026-31945: a name that leads outside when it is judged, and inside when it is called", async () => {
    let times = 0;
    const dialled: string[] = [];
    const { refusal } = fetcher({
      resolve: async () => [++times === 1 ? somewhere : "127.0.0.1"],
      dial: (address) => {
        dialled.push(address);
        // Wherever the network leads us: the far end is one of our own.
        return connect(port, "127.0.0.1");
      },
    });
    expect(await refusal("http://rebound.test/")).toBe("address-unreachable");
    expect(times).toBe(1);
    expect(dialled).toEqual([somewhere]);
    expect(asked).toEqual([]);
    await closed("http://mixed.test/", "address-unreachable");
  });

  test("CVE-2024-47066, CVE-2026-45401, GHSA-5x7x-4c3c-qf5w: a redirect that leads inside", async () => {
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
      asked.length = 0;
      answers = (_request, response) => void response.writeHead(302, { Location: location }).end();
      const { refusal, dialled } = fetcher();
      expect(await refusal(home()), location).toBe(code);
      expect([asked.length, dialled.length], location).toEqual([1, 1]);
    }
  });

  test("CVE-2026-59223: a host that only looks like one that the operator named", async () => {
    names["files.test.evil.example"] = names["evil-files.test"] = names["files.tes"] = ["127.0.0.1"];
    const { refusal, dialled } = fetcher({ allowedHosts: ["files.test", `files.test:${port}`] });
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
    expect(dialled).toEqual([]);
  });

  test("a named host leads to the operator's network, and still to no metadata", async () => {
    names["bound.test"] = ["169.254.169.254"];
    const { refusal, dialled } = fetcher({ allowedHosts: ["bound.test"] });
    expect(await refusal("http://bound.test/")).toBe("address-unreachable");
    expect(dialled).toEqual([]);
    const byNumber = fetcher({ allowedHosts: [`127.0.0.1:${port}`] });
    expect((await byNumber.read(`http://127.0.0.1:${port}/`)).bytes).toEqual(pdf);
    expect(byNumber.resolved).toEqual([]);
  });

  test("CVE-2024-37895: what is no web address, or carries a credential", async () => {
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
      await closed(url, "address-not-allowed");
  });

  test("a port that is not the web's", async () => {
    for (const where of ["example.org:22", "example.org:6379", "example.org:8080", "example.org:0"])
      await closed(`http://${where}/`, "address-not-allowed");
  });

  test("tells nobody apart a name that is not there, one that leads inside and a closed port", async () => {
    const told = async (url: string, options: Partial<GuardedFetchOptions> = {}) => {
      const error: unknown = await fetcher(options)
        .read(url)
        .catch((thrown: unknown) => thrown);
      return [(error as AppError).code, (error as AppError).details];
    };
    const inside = await told("http://intranet.test/");
    expect(await told("http://nowhere.test/")).toEqual(inside);
    const shut = { allowedHosts: ["files.test"], dial: () => connect(1, "127.0.0.1") };
    expect(await told("http://files.test/", shut)).toEqual(inside);
  });
});
