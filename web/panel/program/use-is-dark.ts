import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { usePreference } from "#web/preferences/preferences.ts";

/** Whether the page has its dark theme. */
export function useIsDark(): boolean {
  const [theme] = usePreference("theme");
  const isSystemDark = useMediaQuery("(prefers-color-scheme: dark)");
  return theme === "system" ? isSystemDark : theme === "dark";
}
