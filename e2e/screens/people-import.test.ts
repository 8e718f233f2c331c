import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readableText, startMailServer, type MailServer } from "#fixtures/mail/mail-server.ts";
import { writeWebUi } from "../../tests/support/data/webui-db.ts";
import { freePort } from "../../tests/support/postgres/postgres-cluster.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const port = String(await freePort());
const environment = startEnvironment({
  model: false,
  env: { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` },
});
let folder = "";
let mails: MailServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parlance-e2e-people-"));
  mails = await startMailServer({});
});
afterAll(async () => {
  await mails.close();
  await rm(folder, { recursive: true, force: true });
});

test("an administrator sees what a server has, imports everyone, invites them, and removes somebody", async () => {
  const file = join(folder, "webui.db");
  writeWebUi(file, (database) => {
    for (const [id, name] of [
      ["u1", "Ben Okafor"],
      ["u2", "Cy Lindqvist"],
      ["u3", "Dee Marchetti"],
    ] as const) {
      database.person(id, name, `${id}@office.example`);
      for (let number = 0; number < 4; number++) database.chat(id, `${id}-${number}`);
    }
    // The owner's address, which nobody has proved.
    database.person("u4", "Olga", "olga@example.com");
    database.insert("memory", { id: "m1", user_id: "u1", content: "Likes ferns" });
    database.insert("group", { id: "g1", name: "Gardeners", permissions: "{}", user_ids: '["u1","u2"]' });
    const model = { base_model_id: "llama3:8b", name: "Gardener", params: "{}", meta: "{}" };
    database.insert("model", { id: "gardener", ...model });
  });
  const { page } = await visitWithOwnerAccount(environment);
  await page.evaluate(async (mailPort) => {
    const body = {
      host: "127.0.0.1",
      port: mailPort,
      security: "none",
      username: null,
      sender: "chat@example.com",
    };
    const headers = { "Content-Type": "application/json", "Parlance-Client": "web" };
    await fetch("/v1/mail", { method: "PUT", headers, body: JSON.stringify(body) });
  }, mails.port);

  await page.goto("/admin/import");
  await page.getByText("Everyone who was imported has an account.").waitFor();
  const choose = async () => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: /^Choose/ }).click(),
    ]);
    await chooser.setFiles(file);
  };
  await choose();
  const said = page.getByRole("status");
  await said.getByText("What webui.db contains").waitFor();
  await said.getByText("12 new chats").waitFor();
  await said.getByText("1 group").waitFor();
  await said.getByText("3 people are new here.").waitFor();
  await said.getByText("1 address belongs to an account here, but is not verified.").waitFor();
  await said.getByText("No provider offers llama3:8b yet.").waitFor();
  await page.getByText("Not imported").click();
  await page.getByText("1 × memories: not supported yet.").waitFor();

  await page.getByRole("button", { name: "Cancel" }).click();
  await choose();
  await page.getByRole("button", { name: "Import everyone" }).click();
  await said.getByText("Imported webui.db").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the links" }).click(),
  ]);
  const links = await readFile(await download.path(), "utf8");
  expect(links).toMatch(/"Ben Okafor","u1@office.example","http:\/\/127\.0\.0\.1:\d+\/invite#invite_0/);

  const waiting = page.getByRole("region", { name: "Not here yet" });
  await waiting.getByText("Ben Okafor").waitFor();
  expect(await waiting.getByRole("listitem").count()).toBe(4);
  await waiting.getByRole("button", { name: "Actions for Olga" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Removed Olga.").waitFor();
  await waiting.getByRole("button", { name: "Actions for Cy Lindqvist" }).click();
  await page.getByRole("menuitem", { name: "Make a link" }).click();
  expect(await page.getByRole("dialog").getByLabel("Invitation link").inputValue()).toContain("/invite#");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Send 3 invitations" }).click();
  await page.getByText("3 invitations sent.").waitFor();
  const letter = readableText(await mails.take("u2@office.example"));
  expect(letter).toContain("Olga invited you");
  expect(await waiting.getByText("Invited by e-mail").count()).toBe(3);
});
