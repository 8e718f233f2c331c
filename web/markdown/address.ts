const openSchemes = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Image types that are allowed as data URLs: none of them can contain a script. */
const pictureData = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]*$/i;

/**
 * `address` if it is absolute and has a scheme that opens a page, an email or a call; else `undefined`. Other schemes
 * may run scripts, and relative addresses would lead into this app.
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
 * `address` if a picture can be loaded from it without a request to another server: an image data URL, a blob of this
 * page, or a URL below `app`, the URL of this app without a slash at its end. Else `undefined`.
 */
export function allowedPicture(address: string, app: string): string | undefined {
  if (pictureData.test(address)) return address;
  try {
    const { href, origin, protocol } = new URL(address, app);
    const isOwn = protocol === "blob:" ? origin === new URL(app).origin : href.startsWith(`${app}/`);
    return isOwn ? href : undefined;
  } catch {
    return undefined;
  }
}

/** The host of an address, or the whole address if it has none. */
export function hostOf(address: string): string {
  try {
    const url = new URL(address);
    return url.host.replace(/^www\./, "") || url.pathname;
  } catch {
    return address;
  }
}
