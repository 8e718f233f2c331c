import { Readable } from "node:stream";
import type { BodyOf } from "#contract/api.ts";
import type { Profile } from "#contract/endpoints/auth.ts";
import { randomCharacters } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { FileResponse, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import * as rows from "./rows.ts";

/** What people set about themselves on every device, and their pictures. */
export type Profiles = {
  /** Throws `picture-invalid`. */
  update(visitor: Visitor, change: BodyOf<"profile.update">): Promise<void>;
  /** Throws `picture-not-found`. */
  readPicture(pictureId: string, request: RequestFacts): Promise<FileResponse>;
};

export function createProfiles({
  db,
  clock,
  shrink,
}: {
  db: Database;
  clock: Clock;
  /** Makes a small WebP without metadata of the bytes; `undefined` if they are not a picture. */
  shrink: (bytes: Uint8Array) => Promise<Uint8Array | undefined>;
}): Profiles {
  async function storedForm(dataUrl: string): Promise<string> {
    const small = await shrink(bytesOf(dataUrl));
    if (small === undefined) throw new AppError("picture-invalid");
    return `data:image/webp;base64,${Buffer.from(small).toString("base64")}`;
  }

  return {
    async update({ userId }, { picture, ...change }) {
      const row = {
        ...change,
        ...(picture === undefined
          ? {}
          : picture === null
            ? { picture: null, picture_id: null }
            : { picture: await storedForm(picture), picture_id: randomCharacters(24) }),
        updated_at: clock.now(),
      };
      await db.write(async (tx) => await rows.putProfile(tx, userId, row));
    },

    async readPicture(pictureId, request) {
      const stored = await rows.findPicture(db.read, pictureId);
      if (stored === undefined) throw new AppError("picture-not-found");
      const bytes = bytesOf(stored);
      const etag = `"${pictureId}"`;
      const headers = {
        ETag: etag,
        // Another picture has another address.
        "Cache-Control": "private, max-age=31536000, immutable",
        "Content-Type": "image/webp",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      };
      if (request.ifNoneMatch === etag) return new FileResponse(304, headers, undefined);
      const body = { ...headers, "Content-Length": String(bytes.length) };
      return new FileResponse(200, body, async () => Readable.from([bytes]));
    },
  };
}

export function presentProfile(row: rows.ProfileRow | undefined): Profile {
  return {
    language: row?.language ?? null,
    time_zone: row?.time_zone ?? null,
    default_model: row?.default_model ?? null,
    default_assistant_id: row?.default_assistant_id ?? null,
    picture_url: pictureUrl(row?.picture_id ?? null),
  };
}

/** The path of a picture on this server; null if there is none. */
export function pictureUrl(pictureId: string | null): string | null {
  return pictureId === null ? null : `/v1/pictures/${pictureId}`;
}

/** The contract checks the form of the URL. */
function bytesOf(dataUrl: string): Buffer {
  return Buffer.from(dataUrl.slice(dataUrl.indexOf(",") + 1), "base64");
}
