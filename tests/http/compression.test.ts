import { expect } from "vitest";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sendAndWait } from "../support/clients/conversation.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

describeServer("a response", { on: ["sqlite"], model: true }, (server) => {
  const encodingOf = async (who: Visitor, path: string, accepted: string) => {
    const { status, headers, text } = await who.send("GET", path, {
      headers: { Accept: "text/html,application/json", "Accept-Encoding": accepted },
    });
    expect(status).toBe(200);
    return { encoding: headers.get("content-encoding"), varies: headers.get("vary"), text };
  };

  test("with long JSON is compressed if its client accepts that", async ({ ada }) => {
    const { thread_id } = await sendAndWait(ada, "Beans. ".repeat(1_000));
    const path = `/v1/threads/${thread_id}/branch`;
    const plain = await encodingOf(ada, path, "identity");
    expect(plain).toMatchObject({ encoding: null, varies: "Accept-Encoding" });
    for (const accepted of ["gzip, deflate, br", "br;q=1.0, GZIP;q=0.5"])
      expect(await encodingOf(ada, path, accepted)).toEqual({ ...plain, encoding: "gzip" });
    for (const accepted of ["br", "gzip;q=0", "x-gzipped"])
      expect(await encodingOf(ada, path, accepted)).toEqual(plain);
  });

  test("with short JSON, and the stream of an answer, are not compressed", async ({ ada }) => {
    expect(await encodingOf(ada, "/v1/auth/me", "gzip")).toMatchObject({ encoding: null, varies: null });
    const { run_id } = await sendAndWait(ada, "Beans. ".repeat(1_000));
    const events = await encodingOf(ada, `/v1/runs/${run_id}/events`, "gzip");
    expect(events.encoding).toBe(null);
  });

  test("with the page is compressed", async ({ ada }) => {
    const folder = join(server().place.dataDir, "dist", "web");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "index.html"), `<!doctype html>${"<p>Beans</p>".repeat(500)}`);
    const page = await encodingOf(ada, "/", "gzip");
    expect(page).toMatchObject({ encoding: "gzip", varies: "Accept, Accept-Encoding" });
    expect(page.text).toContain("<p>Beans</p>");
  });
});
