/** What a User-Agent says about a browser or device, in the names of their makers. Unknown parts are absent. */
export type Device = { browser?: string; system?: string; isHandheld: boolean };

/** In this order: most browsers also name those that they are compatible with. */
const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrom(?:e|ium)\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

export function readUserAgent(userAgent: string): Device {
  // Programs that are not browsers name themselves first, as `curl/8.5`.
  const program = /^(?!Mozilla\/)([\w.-]{1,40})\//.exec(userAgent)?.[1];
  const browser = program ?? nameIn(browsers, userAgent);
  const system = nameIn(systems, userAgent);
  return {
    ...(browser === undefined ? {} : { browser }),
    ...(system === undefined ? {} : { system }),
    isHandheld: /\b(?:iPhone|iPad|Android|Mobile)\b/.test(userAgent),
  };
}

function nameIn(names: [pattern: RegExp, name: string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
