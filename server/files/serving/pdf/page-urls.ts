import { createHmac, timingSafeEqual } from "node:crypto";
import type { PictureFormat } from "#server/pdf/pdf.ts";

/** The picture of one page of a rendered document. */
export type PageName = { renderingId: string; number: number; format: PictureFormat };

const inAddress =
  /^(?<renderingId>[0-9a-f]{40})\.(?<number>[1-9]\d{0,3})\.(?<expires>\d{1,15})\.(?<signature>[\w-]{43})\.(?<format>png|webp)$/;

/** URLs of pages, `…/v1/pages/<page id>.png`. Everyone who knows one can open the page until it expires. */
export function createPageUrls(secret: string) {
  const sign = (page: PageName, expires: number): string =>
    createHmac("sha256", secret)
      .update(JSON.stringify([page.renderingId, page.number, page.format, expires]))
      .digest("base64url");

  return {
    url(base: string, page: PageName, expires: number): string {
      const { renderingId, number, format } = page;
      return `${base}/v1/pages/${renderingId}.${number}.${expires}.${sign(page, expires)}.${format}`;
    },
    /** Parses the last segment of a URL; `undefined`: this server did not sign it. */
    parse(pageId: string): { page: PageName; expires: number } | undefined {
      const named = inAddress.exec(pageId)?.groups;
      if (named === undefined) return undefined;
      const format = named.format as PictureFormat;
      const page = { renderingId: named.renderingId!, number: Number(named.number), format };
      const expires = Number(named.expires);
      const [given, right] = [Buffer.from(named.signature!), Buffer.from(sign(page, expires))];
      return given.length === right.length && timingSafeEqual(given, right) ? { page, expires } : undefined;
    },
  };
}
