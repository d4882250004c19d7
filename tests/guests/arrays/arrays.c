typedef unsigned char u8; typedef unsigned int u32;
#define EXP(n) __attribute__((export_name(#n), noinline))
EXP(normalise) void normalise(const u8*s, float*d, u32 n){ for(u32 i=0;i<n;i++) d[i]=(s[i]/255.0f-0.485f)/0.229f; }
EXP(normalise3) void normalise3(const u8*s, float*d, u32 n, const float*mean,const float*sd){ for(u32 i=0;i<n;i++) for(int c=0;c<3;c++) d[i*3+c]=(s[i*3+c]/255.0f-mean[c])/sd[c]; }
EXP(chw) void chw(const u8*s, u8*d, u32 n){ for(u32 c=0;c<3;c++) for(u32 i=0;i<n;i++) d[c*n+i]=s[i*3+c]; }
EXP(hwc) void hwc(const float*s, float*d, u32 n){ for(u32 i=0;i<n;i++) for(int c=0;c<3;c++) d[i*3+c]=s[c*n+i]; }
static u8 clamp(int v){ return v<0?0:v>255?255:v; }
EXP(ycc) void ycc(const u8*y,const u8*cb,const u8*cr,u8*d,u32 n){ for(u32 i=0;i<n;i++){ int Y=y[i]<<16, b=cb[i]-128, r=cr[i]-128; d[i*3]=clamp((Y+91881*r+32768)>>16); d[i*3+1]=clamp((Y-22554*b-46802*r+32768)>>16); d[i*3+2]=clamp((Y+116130*b+32768)>>16);} }
EXP(yccf) void yccf(const u8*s,u8*d,u32 n){ for(u32 i=0;i<n;i++){ float Y=s[i*3],b=s[i*3+1]-128.0f,r=s[i*3+2]-128.0f; float R=Y+1.402f*r,G=Y-0.344136f*b-0.714136f*r,B=Y+1.772f*b; d[i*3]=R<0?0:R>255?255:(u8)R; d[i*3+1]=G<0?0:G>255?255:(u8)G; d[i*3+2]=B<0?0:B>255?255:(u8)B; } }
EXP(argmax) u32 argmax(const float*s,u32 n){ u32 b=0; for(u32 i=1;i<n;i++) if(s[i]>s[b]) b=i; return b; }
EXP(argmax2) u32 argmax2(const float*s,u32 n){ float m=s[0]; u32 b=0; for(u32 i=1;i<n;i++) if(s[i]>m){m=s[i];b=i;} return b; }
EXP(sumb) u32 sumb(const u8*s,u32 n){ u32 t=0; for(u32 i=0;i<n;i++) t+=s[i]; return t; }
EXP(sumf) float sumf(const float*s,u32 n){ float t=0; for(u32 i=0;i<n;i++) t+=s[i]; return t; }
EXP(dot) float dot(const float*s,const float*q,u32 n){ float t=0; for(u32 i=0;i<n;i++) t+=s[i]*q[i]; return t; }
EXP(threshold) void threshold(u8*s,u8*d,u32 n,int t){ for(u32 i=0;i<n;i++) d[i]=s[i]>t?255:0; }
EXP(blend) void blend(const u8*a,const u8*b,u8*d,u32 n,int al){ for(u32 i=0;i<n;i++) d[i]=(a[i]*al+b[i]*(255-al)+127)/255; }
EXP(quantise) void quantise(const float*s,u8*d,u32 n,float sc,int z){ for(u32 i=0;i<n;i++){ int q=(int)(s[i]/sc)+z; d[i]=q<0?0:q>255?255:q; } }
EXP(dequant) void dequant(const u8*s,float*d,u32 n,float sc,int z){ for(u32 i=0;i<n;i++) d[i]=(s[i]-z)*sc; }
EXP(lut) void lut(const u8*s,u8*d,const u8*t,u32 n){ for(u32 i=0;i<n;i++) d[i]=t[s[i]]; }
EXP(grey) void grey(const u8*s,u8*d,u32 n){ for(u32 i=0;i<n;i++) d[i]=(77*s[i*3]+150*s[i*3+1]+29*s[i*3+2])>>8; }
EXP(maxi) int maxi(const int*s,u32 n){ int m=s[0]; for(u32 i=1;i<n;i++) if(s[i]>m) m=s[i]; return m; }
EXP(xorr) u32 xorr(const u32*s,u32 n){ u32 m=0; for(u32 i=0;i<n;i++) m^=s[i]; return m; }
