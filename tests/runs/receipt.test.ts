import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { userMessage } from "#fixtures/people.ts";
import type { ReceiptItem } from "#contract/endpoints/receipts.ts";
import { readWholeLog, sendAndWait, below } from "../support/clients/conversation.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

describeServer("the receipt of an answer", { model: true }, (server) => {
  const receiptOf = async (who: Visitor, run_id: string) =>
    (await who.call("runs.receipt", { params: { run_id } })).receipt;
  const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url");
  const kindsOf = (items: ReceiptItem[]) =>
    items.filter(({ kind }) => kind !== "tool").map(({ kind, role }) => `${role} ${kind}`);

  test("has the exact bytes that the provider received, and what each piece is from", async ({ ada }) => {
    const first = await sendAndWait(ada, "Olá, 世界! tokens=2");
    const question = 'How much is it? tool=calculate("20+22") tokens=3';
    const second = await sendAndWait(ada, question, below(first));
    const receipt = await receiptOf(ada, second.run_id);
    expect(receipt.run_id).toBe(second.run_id);
    const received = await server().requestsWith("How much is it?");
    expect(receipt.requests.map((r) => [r.step, r.body_bytes, r.body_sha256])).toEqual(
      received.map(({ rawBody }, at) => [
        at + 1,
        rawBody.length,
        createHash("sha256").update(rawBody).digest("hex"),
      ]),
    );
    const [one, two] = receipt.requests;
    expect(kindsOf(one!.items)).toEqual([
      "system instructions",
      "user message",
      "assistant message",
      "user message",
    ]);
    expect(kindsOf(two!.items)).toEqual([...kindsOf(one!.items), "assistant tool-call", "tool tool-result"]);
    const [, before, reply, asked, call, result] = two!.items.filter(({ kind }) => kind !== "tool");
    expect([before, reply, asked].map((item) => item!.message_id)).toEqual([
      first.message_id,
      first.reply_id,
      second.message_id,
    ]);
    expect(asked).toMatchObject({
      bytes: Buffer.byteLength(question),
      sha256: hashOf(question),
      source: "same",
    });
    expect([call!.tool_name, result!.tool_name, result!.tool_call_id]).toEqual([
      "calculate",
      "calculate",
      call!.tool_call_id,
    ]);
    // Every piece is in the body.
    const messages = received[1]!.body!.messages as JsonObject[];
    const contents = messages.map(({ content }) => hashOf(typeof content === "string" ? content : ""));
    expect(contents).toContain(result!.sha256);
    const declared = (received[0]!.body!.tools as { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    );
    expect(one!.items.flatMap((item) => (item.kind === "tool" ? [item.tool_name] : []))).toEqual(declared);
    // The receipt neither stores nor returns the content.
    expect(JSON.stringify(receipt)).not.toContain("How much");
  });

  test("is stored once for what the answers of a thread have in common", async ({ ada }) => {
    let last = await sendAndWait(ada, "Question 0 tokens=1");
    for (let n = 1; n < 6; n++) last = await sendAndWait(ada, `Question ${n} tokens=1`, below(last));
    const [request] = (await receiptOf(ada, last.run_id)).requests;
    const messages = request!.items.filter(({ kind }) => kind === "message");
    expect(messages).toHaveLength(11);
    expect(messages.at(-1)).toMatchObject({ sha256: hashOf("Question 5 tokens=1"), source: "same" });
    const stored = await rawSql(
      server().place,
      async (run) =>
        await run(
          `select items from request_contents join model_requests on id = request_id
            where request_contents.thread_id = '${last.thread_id}' and purpose = 'answer' order by request_id`,
        ),
    );
    const counts = stored.map(({ items }) => (JSON.parse(String(items)) as object[]).length);
    expect(counts.slice(1)).toEqual([2, 2, 2, 2, 2]);
  });

  test("hides the instructions' hash from those who may not read them", async ({ owner, dan }) => {
    const hashes = async (who: Visitor) => {
      const { run_id } = await sendAndWait(who, "Hello tokens=1");
      const { requests } = await receiptOf(who, run_id);
      return requests[0]!.items.flatMap((item) => (item.kind === "instructions" ? [item.sha256] : []));
    };
    expect(await hashes(dan)).toEqual([null]);
    expect(await hashes(owner)).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  test("names files, and marks what was deleted since", async ({ ada }) => {
    const first = await sendAndWait(ada, "Gone later tokens=1");
    const { thread_id } = first;
    const { body: file } = await ada.ask("files.upload", { body: { filename: "notes.txt" } });
    await fetch((file as { signedUrl: string }).signedUrl, { method: "PUT", body: "The beans are green." });
    const content = userMessage("Read it. tokens=1");
    const started = await ada.call("runs.start", {
      params: { thread_id },
      body: {
        message: {
          parent_id: first.reply_id,
          content: {
            ...content,
            content: [
              ...(content.content as JsonObject[]),
              { type: "file", data: (file as { publicUrl: string }).publicUrl, mimeType: "text/plain" },
            ],
          },
        },
      },
    });
    await readWholeLog(ada, started.run_id);
    const items = async () => (await receiptOf(ada, started.run_id)).requests[0]!.items;
    const fileItem = (await items()).find(({ kind }) => kind === "file");
    expect(fileItem).toMatchObject({ file_name: "notes.txt", role: "user", source: "same", left_out: null });
    await ada.call("messages.remove", {
      params: { thread_id },
      body: { message_ids: [first.message_id] },
    });
    expect((await items()).find(({ message_id: id }) => id === first.message_id)?.source).toBe("gone");
  });

  test("is empty without a request", async ({ ada }) => {
    const talk = await sendAndWait(ada, "Hi", { model: "builtin" } as object);
    expect((await receiptOf(ada, talk.run_id)).requests).toEqual([]);
  });
});
