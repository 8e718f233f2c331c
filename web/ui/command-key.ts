import { t } from "#web/i18n/translate.ts";

const isApple = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** The name of the key of shortcuts: ⌘ on Apple's systems. */
export const commandKey = () => t(isApple ? "key.command" : "key.ctrl");
