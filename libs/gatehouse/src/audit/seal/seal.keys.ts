import { Inject, Injectable, Optional } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Signer } from '../../contracts/ports/signer.js';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { ed25519Signer } from '../../values/transparency/ed25519.keys.js';
import { formatVerifierKey, verifierKey } from '../../values/transparency/verifier.key.js';

/** Who signs checkpoints, under which name: the keys of `audit.seal`, or the `Signer` an application provides. */
@Injectable()
export class SealKeys {
  private made: readonly Signer[] | undefined;

  constructor(
    private readonly options: ResolvedOptions,
    @Optional() @Inject(ModuleRef) private readonly modules?: ModuleRef,
  ) {}

  /** Of several, all sign: a verifier that knows one of them is content, which is how a key is changed. */
  get signers(): readonly Signer[] {
    return (this.made ??= this.make());
  }

  /** The log's name: that of its first key. */
  get origin(): string {
    return this.options.audit.seal?.origin ?? this.signers[0]?.name ?? '';
  }

  /** What verifiers are given: no secrets. */
  get verifierKeys(): readonly string[] {
    return this.signers.map(({ name, publicKey }) => formatVerifierKey(verifierKey(name, publicKey)));
  }

  private make(): readonly Signer[] {
    const { seal } = this.options.audit;
    if (seal === undefined) return [];
    const own = seal.keys.map((secret) => ed25519Signer(seal.origin, secret));
    const provided = this.provided();
    return provided === undefined ? own : [provided, ...own];
  }

  private provided(): Signer | undefined {
    try {
      return this.modules?.get(Signer, { strict: false });
    } catch {
      return undefined;
    }
  }
}
