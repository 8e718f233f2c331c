const openSchemes = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Picture types that a data URL may carry into the page: none that can hold a script. */
const pictureData = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]*$/i;

/**
 * `address` as a link may carry it: complete, and of a scheme that opens a page, a letter or a call. `undefined` for
 * everything else: scripts and data hide in schemes, and what is relative would lead into this app.
 */
export function safeLink(address: string): string | undefined {
  try {
    const url = new URL(address);
    return openSchemes.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `address` as a picture may be loaded from it without anyone else learning of it: data, a blob of this page, or our
 * own origin. `undefined` for every other origin.
 */
export function ownPicture(address: string, origin: string): string | undefined {
  if (pictureData.test(address)) return address;
  try {
    const url = new URL(address, origin);
    return url.origin === origin && (url.protocol === "blob:" || /^https?:$/.test(url.protocol))
      ? url.href
      : undefined;
  } catch {
    return undefined;
  }
}

/** What to call the place that an address leads to: its host, or the address itself. */
export function hostOf(address: string): string {
  try {
    const url = new URL(address);
    return url.host.replace(/^www\./, "") || url.pathname;
  } catch {
    return address;
  }
}
