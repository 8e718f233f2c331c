import { describe, expect } from "vitest";
import { encryptedFile } from "#fixtures/pdf/encryption.ts";
import { document, objectsOf, pagesOf } from "#fixtures/pdf/write.ts";
import { gardenPng, open } from "../support/data/files.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { enginesWith, stores, storeSettings } from "../support/servers/stores.ts";
import { clients, newestClient, keyCloud } from "./clients.ts";

describe.for(stores)("with files on %s", async (store) => {
  describeServer(
    "attachments",
    { on: enginesWith(store), settings: await storeSettings(store) },
    (server) => {
      describe.each(clients)("of %s", (_name, client) => {
        test("are uploaded, stored in a message by their URL, and read from it", async () => {
          const cloud = keyCloud(client, server());
          const { files, threads } = cloud;
          const { signedUrl, publicUrl } = await files.generatePresignedUploadUrl({ filename: "garden.png" });
          // As the client's attachment adapter sends it: the file's own type and no credential.
          const sent = await fetch(signedUrl, {
            method: "PUT",
            body: gardenPng,
            headers: { "Content-Type": "image/png" },
          });
          expect(sent.ok).toBe(true);
          const { thread_id } = await threads.create({ last_message_at: new Date() });
          const content = {
            role: "user",
            content: [],
            attachments: [
              { id: "1", type: "image", name: "garden.png", content: [{ type: "image", image: publicUrl }] },
            ],
            metadata: { custom: {} },
          };
          await threads.messages.create(thread_id, { parent_id: null, format: "aui/v0", content });
          const { messages } = await threads.messages.list(thread_id);
          expect(messages[0]?.content).toEqual(content);
          expect((await open(publicUrl)).bytes.equals(gardenPng)).toBe(true);
        });
      });

      test("that are PDFs are converted to images, from the file itself and from its URL", async () => {
        const { files } = keyCloud(newestClient, server());
        const pdf = document(pagesOf(2));
        const { signedUrl, publicUrl } = await files.generatePresignedUploadUrl({ filename: "garden.pdf" });
        await fetch(signedUrl, { method: "PUT", body: new Uint8Array(pdf) });
        const fileBlob = `data:application/pdf;base64,${pdf.toString("base64")}`;
        for (const body of [{ file_blob: fileBlob }, { file_url: publicUrl }]) {
          const { success, urls, message } = await files.pdfToImages(body);
          expect([success, urls.length, message]).toEqual([true, 2, "PDF successfully converted to images"]);
          for (const url of urls) expect((await open(url)).bytes.subarray(1, 4).toString()).toBe("PNG");
        }
        const locked = encryptedFile(objectsOf([{}]), { cipher: "aes-128", userPassword: "garden" });
        await expect(files.pdfToImages({ file_blob: locked.toString("base64") })).rejects.toThrow(/password/);
      });

      test("have signed download URLs for newer clients", async () => {
        const { files } = keyCloud(clients[0][1], server());
        const { signedUrl, key } = await files.generatePresignedUploadUrl({ filename: "a.txt" });
        await fetch(signedUrl, { method: "PUT", body: "garden" });
        expect((await open((await files.generatePresignedDownloadUrl({ key: key! })).signedUrl)).text).toBe(
          "garden",
        );
      });

      test("are requested by one of two fields, and not by both", async ({ ada }) => {
        for (const body of [{}, { key: "a", url: "b" }])
          await ada.fails("bad-request", "files.download", { body });
        for (const body of [{}, { file_blob: "a", file_url: "b" }])
          await ada.fails("bad-request", "files.pdfToImages", { body });
        await ada.fails("bad-request", "files.upload", { body: { filename: "" } });
        await server().guest.fails("not-signed-in", "files.upload", { body: { filename: "a" } });
      });
    },
  );
});
