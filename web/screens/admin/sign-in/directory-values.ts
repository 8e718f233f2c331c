import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";

export type DirectoryValues = {
  name: string;
  url: string;
  startTls: boolean;
  bindDn: string;
  bindPassword: string;
  base: string;
  filter: string;
  nameAttribute: string;
  emailAttribute: string;
  idAttribute: string;
  groups: string;
  groupBase: string;
  groupFilter: string;
  trustsEmail: boolean;
  admitsEveryone: boolean;
  claimsImports: boolean;
};

/** Defaults for a new directory: OpenLDAP's usual attributes, and what most companies choose. */
export const emptyDirectory: DirectoryValues = {
  name: "",
  url: "",
  startTls: true,
  bindDn: "",
  bindPassword: "",
  base: "",
  filter: "(&(objectClass=person)(uid={username}))",
  nameAttribute: "cn",
  emailAttribute: "mail",
  idAttribute: "",
  groups: "",
  groupBase: "",
  groupFilter: "(member={dn})",
  trustsEmail: true,
  admitsEveryone: false,
  claimsImports: false,
};

export function valuesOf(stored: SignInProvider): DirectoryValues {
  const { directory } = stored;
  if (directory === null) return emptyDirectory;
  return {
    name: stored.name,
    url: stored.issuer,
    startTls: directory.start_tls,
    bindDn: directory.bind_dn ?? "",
    bindPassword: "",
    base: directory.base_dn,
    filter: directory.user_filter,
    nameAttribute: directory.name_attribute,
    emailAttribute: directory.email_attribute,
    idAttribute: directory.id_attribute ?? "",
    groups: stored.groups_claim ?? "",
    groupBase: directory.group_base_dn ?? "",
    groupFilter: directory.group_filter ?? emptyDirectory.groupFilter,
    trustsEmail: stored.trusts_email,
    admitsEveryone: stored.admits_everyone,
    claimsImports: stored.claims_imports,
  };
}

export function directoryBodyOf(values: DirectoryValues) {
  const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
  const groupBase = orNull(values.groupBase);
  return {
    name: values.name.trim(),
    issuer: values.url.trim(),
    client_id: "",
    ...(values.bindPassword === "" ? {} : { client_secret: values.bindPassword }),
    email_domains: [],
    trusts_email: values.trustsEmail,
    admits_everyone: values.admitsEveryone,
    claims_imports: values.claimsImports,
    groups_claim: orNull(values.groups),
    directory: {
      start_tls: values.startTls && !values.url.trim().startsWith("ldaps:"),
      bind_dn: orNull(values.bindDn),
      base_dn: values.base.trim(),
      user_filter: values.filter.trim(),
      id_attribute: orNull(values.idAttribute),
      name_attribute: values.nameAttribute.trim(),
      email_attribute: values.emailAttribute.trim(),
      group_base_dn: groupBase,
      group_filter: groupBase === null ? null : orNull(values.groupFilter),
    },
  };
}
