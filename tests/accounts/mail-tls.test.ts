import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { startMailServer } from "#fixtures/mail/mail-server.ts";
import { createOwner } from "../support/clients/browser.ts";
import { freePort } from "../support/postgres/postgres-cluster.ts";
import { startChildServer } from "../support/servers/child-server.ts";
import { newPlace } from "../support/servers/server.ts";

const certificateFile = resolve("e2e/support/self-signed.pem");
const login = { user: "chat", password: "p4ss of the mail server" };

test("mail is sent encrypted to a server whose certificate is trusted and has its name", async () => {
  const pem = await readFile(certificateFile, "utf8");
  const port = String(await freePort());
  const place = await newPlace("sqlite");
  const server = await startChildServer(place, undefined, {
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    // How an operator trusts an authority of their own.
    EXTRA_CA_FILE: certificateFile,
  });
  const owner = await createOwner(server);
  for (const security of ["tls", "starttls"] as const) {
    const certificate = { key: pem, cert: pem };
    const mails = await startMailServer({ login, certificate, isTls: security === "tls" });
    const send = async (host: string) => {
      const { user: username, password } = login;
      const sender = "chat@example.com";
      await owner.call("mail.put", {
        body: { host, port: mails.port, security, username, password, sender },
      });
      return await owner.call("mail.test", { body: { language: "en" } });
    };
    expect(await send("127.0.0.1"), security).toMatchObject({ problem: null });
    expect(await mails.take("olga@example.com")).toMatchObject({
      from: "chat@example.com",
      isEncrypted: true,
    });
    // The certificate is for the address.
    expect(await send("localhost"), security).toMatchObject({ problem: "certificate" });
    expect(mails.received).toHaveLength(1);
    await mails.close();
  }
  await server.end("SIGTERM");
  await place.remove();
});
