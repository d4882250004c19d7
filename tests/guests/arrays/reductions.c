typedef unsigned char u8; typedef unsigned int u32; typedef unsigned long long u64;
#define EXP(n) __attribute__((export_name(#n), noinline))
EXP(hash31) u32 hash31(const u8*s,u32 n){ u32 h=7; for(u32 i=0;i<n;i++) h=h*31+s[i]; return h; }
EXP(djb2) u32 djb2(const u8*s,u32 n){ u32 h=5381; for(u32 i=0;i<n;i++) h=(h<<5)+h+s[i]; return h; }
EXP(rolling) u64 rolling(const u32*s,u32 n,u64 p){ u64 h=1; for(u32 i=0;i<n;i++) h=h*p+s[i]; return h; }
EXP(hash97) u32 hash97(const u32*s,u32 n){ u32 h=0; for(u32 i=0;i<n;i+=97) h=h*31+s[i]; return h; }
EXP(argmax) u32 argmax(const float*s,u32 n){ u32 b=0; for(u32 i=1;i<n;i++) if(s[i]>s[b]) b=i; return b; }
EXP(argminb) u32 argminb(const u8*s,u32 n){ u32 b=0; for(u32 i=1;i<n;i++) if(s[i]<s[b]) b=i; return b; }
EXP(fmins) double fmins(const double*s,u32 n){ double m=s[0]; for(u32 i=1;i<n;i++) m=__builtin_wasm_min_f64(m,s[i]); return m; }
EXP(fmaxi) float fmaxi(const float*s,u32 n){ float m=s[0]; for(u32 i=1;i<n;i++) m=__builtin_wasm_max_f32(m,s[i]); return m; }
EXP(checksum) u32 checksum(const u8*s,u32 n,u32 m,u32 w){ u32 t=0; for(u32 i=0;i<n;i++) for(u32 j=0;j<m;j++) t=t*31+s[i*w+j]; return t; }
