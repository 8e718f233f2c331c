import { language } from "#web/i18n/en/en.ts";
import { addStrings, setLanguage } from "#web/i18n/translate.ts";

// The page loads its language before it renders. A test that needs another language sets it, and resets it afterwards.
setLanguage("en", "ltr", language);
for (const load of Object.values(language.texts)) addStrings((await load()).texts);
