import {
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import type { ResponseOf } from "#contract/api.ts";
import type { NewPasskey, PasskeyProof } from "#contract/endpoints/passkeys.ts";
import { CallError } from "../call-error.ts";
import type { SignInCall } from "./cookie-session.ts";

type Options = ResponseOf<"accounts.startPasskey">["options"];

/** Whether browsers allow passkeys at this address: never at an IP address, or without encryption. */
export function arePasskeysPossible(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return window.isSecureContext && !isAddress && "PublicKeyCredential" in window;
}

/** Lets the person choose a passkey, and signs in with it. Throws `CallError`. */
export async function signInWithPasskey(
  signInWith: SignInCall,
  more: { confirmation?: string; language?: LanguageTag } = {},
): Promise<void> {
  const { options } = await signInWith("accounts.startPasskeySignIn", {});
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const credential = await startAuthentication({ optionsJSON }).catch(asCallError);
  await signInWith("accounts.passkeySignIn", { credential: credential as unknown as PasskeyProof, ...more });
}

/** Lets the person create a passkey. Throws `CallError`. */
export async function createPasskey(options: Options): Promise<NewPasskey> {
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const { response, ...credential } = await startRegistration({ optionsJSON }).catch(asCallError);
  // The rest repeats parts of the attestation.
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return {
    ...credential,
    response: { clientDataJSON, attestationObject, transports },
  } as unknown as NewPasskey;
}

const codes: Record<string, string> = {
  InvalidStateError: "passkey-exists",
  SecurityError: "passkeys-not-here",
};

function asCallError(cause: unknown): never {
  const name = cause instanceof Error ? cause.name : "";
  // Browsers do not tell apart a cancelled dialog, one that took too long, and no passkey.
  throw new CallError({ code: codes[name] ?? "passkey-not-used", retry: false }, { cause });
}
