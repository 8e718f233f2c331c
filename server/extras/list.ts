/** A package of npm, and the files of it that an extra consists of, by the names that they get. */
export type PinnedPackage = {
  name: string;
  version: string;
  /** Of its archive, as in lockfiles. */
  integrity: string;
  files: Record<string, { path: string; sha256: string }>;
};

export type Extra = {
  about: string;
  packages: readonly PinnedPackage[];
  /** By the names that Tesseract uses. */
  languages: Record<string, PinnedPackage>;
  /** Without a choice. */
  usualLanguages: readonly string[];
};

/** What Tesseract knows about a language, in whole numbers: a quarter of the usual size, and as good. */
function language(tag: string, integrity: string, sha256: string): PinnedPackage {
  const file = `${tag}.traineddata.gz`;
  return {
    name: `@tesseract.js-data/${tag}`,
    version: "1.0.0",
    integrity,
    files: { [file]: { path: `package/4.0.0_best_int/${file}`, sha256 } },
  };
}

/** What administrators may add (`add <name>`), because it is large and not for everybody. A change makes them add it again. */
export const extras = {
  ocr: {
    about: "reads the text of scanned pages and of pictures",
    packages: [
      {
        name: "tesseract.js-core",
        version: "7.0.0",
        integrity:
          "sha512-WnNH518NzmbSq9zgTPeoF8c+xmilS8rFIl1YKbk/ptuuc7p6cLNELNuPAzcmsYw450ca6bLa8j3t0VAtq435Vw==",
        files: {
          "core.cjs": {
            path: "package/tesseract-core-simd-lstm.js",
            sha256: "e48e2f02ddae3716c8dd24bf41cd290d4efa96892d689cdc4013c2545d63f469",
          },
          "core.wasm": {
            path: "package/tesseract-core-simd-lstm.wasm",
            sha256: "34e8d50cac216427d86bf397d610fdd9f49492539bbcdfbfccc4eda20c810bea",
          },
          LICENSE: {
            path: "package/LICENSE",
            sha256: "c6596eb7be8581c18be736c846fb9173b69eccf6ef94c5135893ec56bd92ba08",
          },
        },
      },
    ],
    languages: {
      ara: language(
        "ara",
        "sha512-bB60Av6dsv9LRUrlaM6SgnAwjUpdbanw9Jf3mbhDCZAhX7Cp8u7YjI8EWfCvMhH3R2QJT/2EA8cijqPANOhwaA==",
        "f4746c44b02342dd5b3d4f0198000f47d7c49f1a229e63e0f436c0592dcd9639",
      ),
      chi_sim: language(
        "chi_sim",
        "sha512-iuErURkPbECDUazgsLn/r3c+tU2y5o5S/w14d0A/YiagfsjYyZKgTo75RUpsGJ311qtu0dIX4hqnXAAjmqf2CA==",
        "b8a23f10c7de500891eb458a8adc9cc58ab7f242f08b7d149f5e9aea4ad5db7c",
      ),
      deu: language(
        "deu",
        "sha512-3ter1p2gFAiCd5CMC+PodZ9YY2UDomkKj+ytlKeeZqOUmhLx1SDnYPf5zog0g5MBbxYveW+8omI3PUflqHfZ4Q==",
        "306c4280d0cbed46fbff727486bd43b92730181bae80f56941a091f363bdf28b",
      ),
      eng: language(
        "eng",
        "sha512-mbTumm6KQPUHyzTPQaF3ObXYnx0SqqfV2nabqFVQBwD6Kl7PhGSLSzOlfFTWy0P3BjghaSKA2W9GB19Jk+ZcTg==",
        "45b4cb346724ac1774f1c36f42f182b887bcdb28ebe63e6fff90ac41f3fcff91",
      ),
      fra: language(
        "fra",
        "sha512-pp58gMaoyidoBBLd5y5rnf0WW0Y1994QrGqZrYatITqIU/AReUJMykD+YY3JDgvnmgz7uAx1UmhjjuyEmV8JEA==",
        "d611139672b3752c7097e671e4a1d9209dfd37f2aeb081ef6487fba3351e9255",
      ),
      ita: language(
        "ita",
        "sha512-Sx19NVYve5VAxEBDL6CWTX+evlvzV+iAS5ejJywcHVsmir/C9Tzw2fExoh97QFc06t48tYZA8VrMobsBzMAEhA==",
        "f702fcfad297ce028ede3626d1467b67939f23ff23595f9badd54681cf25a4d3",
      ),
      jpn: language(
        "jpn",
        "sha512-nUq2xHUjiWE6FRqkvLIIbByLZ39B8qNaBSOnVP4XIKGPKtZ1e0hiRnK7WhPfl8A+Fe7aNE1u/QoXXUym3TbSCA==",
        "2b63ebfbf1484de4a08ce53b29ef98a1c17658a93cbd38acb665d7d316d0be88",
      ),
      nld: language(
        "nld",
        "sha512-Fq9TDxewYAw3YBLqLYEu3rziNUHq0F1NnnM49vI0E5o6S2oKcirhTumGvv8ws088+li1llyKXT9nfrHuxxetHQ==",
        "a2d904b6ddc4feb0d31ecfcd7361a554102e7aa2e278c54f4fc029e0d0815571",
      ),
      pol: language(
        "pol",
        "sha512-e9naSi/5kIXIMsymriFMUXJ2XWxRY/09qU9pkmEN28nAeMyF70EYkn4G3iHoB2oF/HNhZpy8lCIe1/I2L/BqKA==",
        "a20fdec4ff99d8f8e84c708da3e42a4e935c26863055a0ed88aef5c66a59b91b",
      ),
      por: language(
        "por",
        "sha512-sQ7GqYUgKaMmV0vNujYoXLlXUp2e5RGGkJxQ3L59kUOaupIugLJeb1dqhrfgyb71XQw7ltdSuXdQIoaoS/rpsQ==",
        "dacebc1386ddaaf8389f81094236cca0d690897cde693d48cbdaa881c86e2b4c",
      ),
      spa: language(
        "spa",
        "sha512-9Ln+QKq/TNu4Hy4aOp5b4nXo9U0C6IqJMzNDpAJZe/fNtz6jXG9G/hQgR/Irxj+RGf0M7Xy1MNx1yl4wQUIfeg==",
        "40be52f97b5d4eb7460073dc1f94cd546b27150333c0bf854ed7e7132db6bceb",
      ),
    },
    usualLanguages: ["eng"],
  },
} as const satisfies Record<string, Extra>;

export type ExtraName = keyof typeof extras;
export const extraNames = Object.keys(extras) as ExtraName[];
