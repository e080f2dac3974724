import { describe, expect, it } from 'vitest';
import { ScramClient } from './scram.ts';
import { Secret } from './secret.ts';

/** The exchange of RFC 7677, section 3. */
const rfc = (): ScramClient =>
  new ScramClient({
    hash: 'sha256',
    username: new Secret('user'),
    password: new Secret('pencil'),
    nonce: 'rOprNGfwEbeRWgbNEkqO',
  });
const CHALLENGE = 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096';

describe('SCRAM', () => {
  it('says what the example of RFC 7677 says, and believes its server', async () => {
    const client = rfc();
    expect(client.first().toString()).toBe('n,,n=user,r=rOprNGfwEbeRWgbNEkqO');
    const proof = await client.final(Buffer.from(CHALLENGE));
    expect(proof.toString()).toBe(
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    );
    expect(() => client.verify(Buffer.from('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='))).not.toThrow();
  });

  it('does not believe a server that shows another signature, none, or one before the proof', async () => {
    const client = rfc();
    expect(() => client.verify(Buffer.from('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='))).toThrow(/signature/);
    await client.final(Buffer.from(CHALLENGE));
    expect(() => client.verify(Buffer.from('v=AAAATRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='))).toThrow(/signature/);
    expect(() => client.verify(Buffer.from('e=other-error'))).toThrow(/signature/);
  });

  it('answers no challenge that is not about its own nonce, or that wants too little or too much work', async () => {
    const changed = (from: string, to: string): Buffer => Buffer.from(CHALLENGE.replace(from, to));
    await expect(rfc().final(changed('r=rOpr', 'r=sOpr'))).rejects.toThrow(/nonce/);
    await expect(rfc().final(changed('%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0', ''))).rejects.toThrow(/nonce/);
    await expect(rfc().final(changed('4096', '1'))).rejects.toThrow(/iterations/);
    await expect(rfc().final(changed('4096', '99999999'))).rejects.toThrow(/iterations/);
    await expect(rfc().final(changed('i=4096', ''))).rejects.toThrow(/iterations/);
  });

  it('writes a user name with commas and equal signs as the RFC asks', () => {
    const client = new ScramClient({
      hash: 'sha512',
      username: new Secret('a=b,c'),
      password: new Secret('x'),
      nonce: 'n',
    });
    expect(client.first().toString()).toBe('n,,n=a=3Db=2Cc,r=n');
  });
});
